import { describe, expect, onTestFinished, test } from "vitest";
import { explainTls } from "../../src/target/explain-tls.ts";
import { getJson } from "../../src/target/json-client.ts";
import { parseTarget, type TargetOptions } from "../../src/target/parse-target.ts";
import { hasOpenssl, makeCertificate } from "./support/certificates.ts";
import { answers, serve } from "./support/serve.ts";

const ok = answers({ "/v1/models": { data: [] } });

async function modelsOf(url: string, options: TargetOptions = {}) {
  const target = parseTarget(url, options);
  return getJson(target, target.apiUrl("models"));
}

describe.skipIf(!hasOpenssl)("a server with a self-signed certificate (S77)", () => {
  test("fails at once, with the code and what helps", async () => {
    const { url } = await serve(ok, { tls: makeCertificate("IP:127.0.0.1") });
    const reply = await modelsOf(url);
    expect(reply).toMatchObject({ state: "error", errorKind: "tls" });
    expect(reply).toHaveProperty("message", expect.stringContaining("DEPTH_ZERO_SELF_SIGNED_CERT"));
    expect(reply).toHaveProperty("message", expect.stringContaining("--ca-file FILE"));
    expect(reply).toHaveProperty("message", expect.stringContaining("--insecure"));
    expect(reply.latencyMs).toBeLessThan(5000);
  });

  test("is trusted by --ca-file", async () => {
    const certificate = makeCertificate("IP:127.0.0.1");
    const { url } = await serve(ok, { tls: certificate });
    expect(await modelsOf(url, { caFile: certificate.certFile })).toMatchObject({ state: "ok" });
  });

  test("is not trusted by another's --ca-file", async () => {
    const { url } = await serve(ok, { tls: makeCertificate("IP:127.0.0.1") });
    const { certFile } = makeCertificate("IP:127.0.0.1");
    expect(await modelsOf(url, { caFile: certFile })).toMatchObject({ errorKind: "tls" });
  });

  test("is let pass by --insecure, in this run only", async () => {
    const { url } = await serve(ok, { tls: makeCertificate("IP:127.0.0.1") });
    expect(await modelsOf(url, { insecure: true })).toMatchObject({ state: "ok" });
    expect(process.env["NODE_TLS_REJECT_UNAUTHORIZED"]).toBeUndefined();
    expect(await modelsOf(url)).toMatchObject({ errorKind: "tls" });
  });

  test("is refused though the process' variable lets all pass", async () => {
    const { url } = await serve(ok, { tls: makeCertificate("IP:127.0.0.1") });
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    onTestFinished(() => {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    });
    expect(await modelsOf(url)).toMatchObject({ errorKind: "tls" });
  });

  test("for another name", async () => {
    const certificate = makeCertificate("DNS:elsewhere.example");
    const { url, port } = await serve(ok, { tls: certificate });
    const caFile = certificate.certFile;
    const reply = await modelsOf(url, { caFile });
    expect(reply).toMatchObject({ errorKind: "tls" });
    expect(reply).toHaveProperty("message", expect.stringContaining("another name"));
    // The same server by its own name, at an address that is fixed beforehand.
    const named = parseTarget(`https://elsewhere.example:${port}`, { caFile });
    const fixed = named.withAddress("127.0.0.1");
    expect(await getJson(fixed, fixed.apiUrl("models"))).toMatchObject({ state: "ok" });
  });

  test("asked without TLS", async () => {
    const { url } = await serve(ok, { tls: makeCertificate("IP:127.0.0.1") });
    expect(await modelsOf(url.replace("https", "http"))).toMatchObject({
      errorKind: "connection_reset",
      message: expect.stringContaining("give https://"),
    });
  });
});

test("a server without TLS, asked with it", async () => {
  const { url } = await serve(ok);
  expect(await modelsOf(url.replace("http", "https"))).toMatchObject({
    errorKind: "tls",
    message: expect.stringContaining("give http:// instead"),
  });
});

describe("explainTls", () => {
  test.each([
    ["CERT_HAS_EXPIRED", "", "has expired"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "", "another name"],
    [
      "EPROTO",
      "140:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:",
      "not speak TLS",
    ],
    [
      "EPROTO",
      "140:error:0A000410:SSL routines::sslv3 alert handshake failure:../d",
      "ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE",
    ],
    ["ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION", "", "TLS failed"],
  ])("%s %s", (code, text, said) => {
    expect(explainTls(code, text)).toContain(said);
  });

  test("errors that are not of TLS", () => {
    expect(explainTls("ECONNREFUSED", "SSL routines::x")).toBeUndefined();
  });
});
