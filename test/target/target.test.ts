import { inspect } from "node:util";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { JoulemarkError } from "../../src/errors.ts";
import { parseTarget } from "../../src/target/parse-target.ts";
import type { RequestTarget } from "../../src/target/request-target.ts";
import { targetFromThread } from "../../src/target/target.ts";
import { targetWarnings } from "../../src/target/target-warnings.ts";
import { hasOpenssl, makeCertificate } from "./support/certificates.ts";

const KEY = "sk-test-SECRET123";
const env = { API_KEY: KEY };

describe("parseTarget", () => {
  test("gives what a request needs", () => {
    const target: RequestTarget = parseTarget("h:8000", { env, apiKeyEnv: "API_KEY" });
    expect(target.requestUrl.href).toBe("http://h:8000/v1/chat/completions");
    expect(target.endpoint).toBe("chat");
    expect(target.headers()).toEqual({ authorization: `Bearer ${KEY}` });
    expect(target.tls).toBeUndefined();
    expect(target.socketPath).toBeUndefined();
  });

  test("takes a URL object, a model and an endpoint", () => {
    const target = parseTarget(new URL("http://h/v1"), { model: "m", endpoint: "completions" });
    expect(target).toMatchObject({ model: "m", endpoint: "completions" });
    expect(target.requestUrl.pathname).toBe("/v1/completions");
    expect(target.baseUrl.href).toBe("http://h/v1");
    expect(target.withModel("n").model).toBe("n");
  });

  test("knows the other addresses of the server", () => {
    const target = parseTarget("https://x/api/v1?api-version=1");
    expect(target.apiUrl("models").href).toBe("https://x/api/v1/models?api-version=1");
    expect(target.rootUrl("/version").href).toBe("https://x/api/version");
    const socket = parseTarget("unix:/run/v.sock");
    expect(socket.socketPath).toBe("/run/v.sock");
    expect(socket.apiUrl("models").href).toBe("http://localhost/v1/models");
    expect(socket.rootUrl("/version").href).toBe("http://localhost/version");
    expect(socket.shownUrl).toBe("http://localhost/v1/chat/completions at /run/v.sock");
  });

  test("a model of nothing, a bad certificate file", () => {
    expect(() => parseTarget("h", { model: " " })).toThrow("--model is empty");
    expect(() => parseTarget("https://h", { caFile: "/no/such.pem" })).toThrow(
      "--ca-file /no/such.pem could not be read (ENOENT)",
    );
    expect(() => parseTarget("https://h", { caFile: "package.json" })).toThrow("no certificate");
  });
});

describe("isLoopback", () => {
  test.each([
    ["http://127.0.0.1:8000", true],
    ["http://localhost:8000/v1", true],
    ["http://user:pw@[::1]:8000", true],
    ["unix:/run/v.sock", true],
    ["http+unix://%2Frun%2Fv.sock/v1", true],
    ["http://240.0.0.1", false],
  ])("%s: %s", async (url, isLoopback) => {
    expect(await parseTarget(url).isLoopback()).toBe(isLoopback);
  });

  test("by the address that is dialled, where one is fixed", async () => {
    const target = parseTarget("http://240.0.0.1:8000/v1");
    expect(await target.withAddress("127.0.0.1").isLoopback()).toBe(true);
    expect(await target.withAddress("::1").locality()).toMatchObject({
      address: "::1",
      port: 8000,
    });
    expect(await parseTarget("http://127.0.0.1").withAddress("240.0.0.1").isLoopback()).toBe(false);
  });
});

describe("the record", () => {
  test("of a plain target", () => {
    expect(parseTarget("http://127.0.0.1:8000", { env: {} }).toJSON()).toEqual({
      baseUrl: "http://127.0.0.1:8000/v1",
      requestUrl: "http://127.0.0.1:8000/v1/chat/completions",
      endpoint: "chat",
      auth: "none",
      isInsecure: false,
      isProxied: false,
    });
  });

  test("names the proxy variables that were ignored, and not what they hold (S76)", () => {
    const proxies = { HTTP_PROXY: "http://u:SECRET123@p:1", https_proxy: "x", ALL_PROXY: "" };
    const { ignoredProxyVariables, isProxied } = parseTarget("http://h", { env: proxies }).toJSON();
    expect(ignoredProxyVariables).toEqual(["HTTP_PROXY"]);
    expect(isProxied).toBe(false);
    expect(parseTarget("https://h", { env: proxies }).toJSON().ignoredProxyVariables).toEqual([
      "https_proxy",
    ]);
    expect(parseTarget("unix:/x", { env: proxies }).toJSON()).not.toHaveProperty(
      "ignoredProxyVariables",
    );
  });

  test("says that a certificate is not checked", () => {
    const target = parseTarget("https://h", { insecure: true });
    expect(target.tls).toEqual({ isInsecure: true });
    expect(target.toJSON().isInsecure).toBe(true);
    // Nothing is checked on plain HTTP, so nothing is left out either.
    expect(parseTarget("http://h", { insecure: true }).toJSON().isInsecure).toBe(false);
  });

  test.skipIf(!hasOpenssl)("names the certificate file without its folder", () => {
    const { certFile, cert } = makeCertificate("DNS:localhost");
    const target = parseTarget("https://h", { caFile: certFile });
    expect(target.toJSON().caFile).toBe("cert.pem");
    expect(target.tls).toEqual({ caPem: cert, isInsecure: false });
  });
});

describe("what must be known beside the figures", () => {
  const remote = { state: "remote", address: "240.0.0.1", port: 80, how: "" } as const;
  const local = { state: "local", address: "127.0.0.1", port: 80, how: "" } as const;

  test("of a remote and of a local target", () => {
    const target = parseTarget("http://h", {
      env: { ...env, HTTP_PROXY: "p" },
      apiKeyEnv: "API_KEY",
    });
    expect(targetWarnings(target, remote)).toEqual([
      "HTTP_PROXY is set and not used: joulemark always connects directly",
      "the key is sent over plain HTTP to another machine, where others may read it",
    ]);
    expect(targetWarnings(target, local)).toEqual([]);
  });

  test("of a server that is not checked", () => {
    const target = parseTarget("https://h", { insecure: true, env: {} });
    expect(targetWarnings(target, local)).toEqual([
      "the server's certificate is not checked (--insecure)",
    ]);
  });
});

describe("a key does not leak (S80)", () => {
  const targets = [
    ["by a variable", parseTarget("http://h:8000", { env, apiKeyEnv: "API_KEY" })],
    ["by a header", parseTarget("http://h:8000", { env, headerEnv: ["X-Key=API_KEY"] })],
    ["by the URL", parseTarget("http://user:SECRET123@h:8000/v1")],
    ["by the URL, alone", parseTarget(`http://${KEY}@h:8000/v1`)],
    ["by the query", parseTarget(`http://h:8000/v1?key=${KEY}`)],
  ] as const;

  test.each(targets)("%s", (_how, target) => {
    const shown = [
      JSON.stringify(target),
      JSON.stringify({ ...target }),
      String(target),
      inspect(target, { depth: 9, showHidden: true }),
      inspect(target, { depth: 9, customInspect: false, showHidden: true }),
      inspect({ target: [target] }, { depth: 9 }),
      inspect(structuredClone({ ...target }), { depth: 9 }),
      inspect(structuredClone(target), { depth: 9 }),
      inspect(structuredClone(target.toJSON()), { depth: 9 }),
      target.shownUrl,
      target.redact(`the server said: wrong key ${KEY}`),
      target.redact(JSON.stringify(target.headers())),
      target.redact(inspect(target.forThread(), { depth: 9 })),
    ];
    for (const text of shown) expect(text).not.toMatch(/SECRET123|U0VDUkVUMTIz/);
  });

  test("nor in what locality says", async () => {
    const target = parseTarget("http://user:SECRET123@127.0.0.1:1/v1");
    expect(inspect(await target.locality())).not.toContain("SECRET");
  });

  test.each([
    ["a key as the address", `${KEY} /`, { env, apiKeyEnv: "API_KEY" }],
    ["a bad port behind a password", "http://user:SECRET123@h:x", {}],
    ["a bad model beside a key", `http://user:SECRET123@h`, { model: "" }],
  ])("nor in an error: %s", (_what, url, options) => {
    try {
      parseTarget(url, options);
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(JoulemarkError);
      expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("SECRET123");
    }
  });
});

describe("a target for a thread", () => {
  test("is plain data that makes the same target, secrets included", () => {
    const target = parseTarget("http://user:SECRET123@h:8000/v1", { model: "m" });
    const copy = targetFromThread(structuredClone(target.forThread()));
    expect(copy.headers()).toEqual(target.headers());
    expect(copy.toJSON()).toEqual(target.toJSON());
    expect(copy.redact("SECRET123")).toBe("[redacted]");
  });

  test("reaches a real thread", async () => {
    const target = parseTarget("http://h", { env, apiKeyEnv: "API_KEY" });
    const echo = 'const t = require("worker_threads"); t.parentPort.postMessage(t.workerData);';
    const worker = new Worker(echo, { eval: true, workerData: target.forThread() });
    const parts = await new Promise<ReturnType<typeof target.forThread>>((resolve, reject) => {
      worker.once("message", resolve);
      worker.once("error", reject);
    });
    await worker.terminate();
    expect(targetFromThread(parts).headers()).toEqual({ authorization: `Bearer ${KEY}` });
  });
});

test("console.log shows what the record says", () => {
  const lines: string[] = [];
  const target = parseTarget("http://user:SECRET123@h:8000/v1");
  lines.push(inspect(target));
  expect(lines[0]).toMatch(/^Target \{/);
  expect(lines[0]).toContain("http://h:8000/v1/chat/completions");
});
