import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { getJson, messageIn, postJson } from "../../src/target/json-client.ts";
import { parseTarget } from "../../src/target/parse-target.ts";
import { always, answers, serve } from "./support/serve.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((entries) =>
  entries?.some(({ address }) => address === "::1"),
);

const KEY = "sk-test-SECRET123";
const env = { API_KEY: KEY };

const modelsOf = (url: string, options = {}) => {
  const target = parseTarget(url, { env, apiKeyEnv: "API_KEY" });
  return getJson(target, target.apiUrl("models"), { isInContainer: () => false, ...options });
};

/** A TCP server that does what the test says with each connection. */
async function listen(onConnection: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

describe("what is asked and answered", () => {
  test("a GET with the key", async () => {
    const { url, asked } = await serve((request, response) => {
      response.end(JSON.stringify({ ...request.headers, host: undefined }));
    });
    const reply = await modelsOf(url);
    expect(reply).toMatchObject({
      state: "ok",
      httpStatus: 200,
      address: "127.0.0.1",
      json: { authorization: `Bearer ${KEY}`, accept: "application/json" },
    });
    expect(reply.latencyMs).toBeGreaterThan(0);
    expect(asked).toEqual(["GET /v1/models"]);
  });

  test("a POST with a body", async () => {
    const { url } = await serve((request, response) => {
      response.setHeader("x", String(request.headers["content-type"]));
      request.pipe(response);
    });
    const target = parseTarget(url);
    const reply = await postJson(target, target.requestUrl, { text: "é" });
    expect(reply).toMatchObject({ state: "ok", json: { text: "é" } });
  });

  test("over a unix socket", async () => {
    const folder = mkdtempSync(join(tmpdir(), "joulemark-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const socketPath = join(folder, "s.sock");
    const { asked } = await serve(answers({ "/v1/models": { data: [] } }), { socketPath });
    const reply = await modelsOf(`http+unix://${encodeURIComponent(socketPath)}`);
    expect(reply).toMatchObject({ state: "ok", json: { data: [] } });
    expect(reply).not.toHaveProperty("address");
    expect(asked).toEqual(["GET /v1/models"]);
  });

  test.skipIf(!hasIpv6).each(["127.0.0.1", "::1"])(
    "localhost, where only %s listens (S74)",
    async (host) => {
      const { port } = await serve(answers({ "/v1/models": {} }), { host });
      expect(await modelsOf(`localhost:${port}`)).toMatchObject({ state: "ok", address: host });
    },
  );

  test("at a fixed address, with the host that the URL names", async () => {
    const { port } = await serve((request, response) => {
      response.end(JSON.stringify(request.headers.host));
    });
    const target = parseTarget(`http://no-such-host.invalid:${port}`).withAddress("127.0.0.1");
    const reply = await getJson(target, target.apiUrl("models"));
    expect(reply).toMatchObject({ state: "ok", json: `no-such-host.invalid:${port}` });
  });

  test("never through a proxy (S76)", async () => {
    const proxy = await serve(always(502, "proxy"));
    for (const name of ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "NODE_USE_ENV_PROXY"]) {
      const before = process.env[name];
      process.env[name] = name.startsWith("NODE") ? "1" : proxy.url;
      onTestFinished(() => {
        if (before === undefined) delete process.env[name];
        else process.env[name] = before;
      });
    }
    const { url } = await serve(answers({ "/v1/models": {} }));
    expect(await modelsOf(url)).toMatchObject({ state: "ok" });
    expect(proxy.asked).toEqual([]);
  });
});

describe("what a server may do wrong", () => {
  test("a status, with its message and no secret", async () => {
    const said = `Incorrect key: ${KEY}, \u001b[31m${encodeURIComponent(`=${KEY}`)}`;
    const { url } = await serve(always(401, { error: { message: said } }));
    const reply = await modelsOf(url);
    expect(reply).toMatchObject({
      state: "error",
      errorKind: "http_status",
      httpStatus: 401,
      message: `${url}/v1/models: HTTP 401: Incorrect key: [redacted], [31m%3D[redacted]`,
    });
    expect(inspect(reply)).not.toContain("SECRET123");
  });

  test("a long answer with the key where it is cut", async () => {
    for (const length of [270, 285, 290, 296]) {
      const { url } = await serve(always(500, "x ".repeat(length / 2) + KEY));
      expect(inspect(await modelsOf(url))).not.toMatch(/sk-t/);
    }
  });

  test("a redirect is not followed and says where to", async () => {
    const other = await serve(always(200, {}));
    const to = `${other.url}/v1/models?k=${KEY}`;
    const { url } = await serve(always(307, "", { location: to }));
    expect(await modelsOf(url)).toMatchObject({
      errorKind: "redirect",
      httpStatus: 307,
      message: `${url}/v1/models: HTTP 307, a redirect, which is not followed; if it is the right place, give --target ${other.url}/v1/models?k=[redacted]`,
    });
    expect(other.asked).toEqual([]);
  });

  test("a redirect to a path, and to nowhere", async () => {
    const { url } = await serve(always(308, "", { location: "/api/" }));
    expect(await modelsOf(url)).toHaveProperty("message", expect.stringContaining(`${url}/api/`));
    const nowhere = await serve(always(302, ""));
    expect(await modelsOf(nowhere.url)).toMatchObject({ errorKind: "redirect" });
  });

  test("no JSON, and an encoding that was not asked for", async () => {
    const html = await serve(always(200, "<html>hello"));
    expect(await modelsOf(html.url)).toMatchObject({
      errorKind: "malformed",
      message: expect.stringContaining("not JSON: <html>hello"),
    });
    const zipped = await serve(always(200, "x", { "content-encoding": "gzip" }));
    expect(await modelsOf(zipped.url)).toMatchObject({ errorKind: "unsupported_encoding" });
  });

  test("more than is read", async () => {
    const { url } = await serve((_request, response) => {
      const more = () => {
        while (response.write(" ".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    });
    expect(await modelsOf(url, { maxBytes: 1000 })).toMatchObject({ errorKind: "too_large" });
  });

  test("silence, before and within the answer", async () => {
    const silent = await serve(() => {});
    expect(await modelsOf(silent.url, { timeoutMs: 100 })).toMatchObject({
      errorKind: "timeout",
      message: `${silent.url}/v1/models: no answer within 0.1 s (waiting for the answer)`,
    });
    const stuck = await serve((_request, response) => response.write("{"));
    expect(await modelsOf(stuck.url, { timeoutMs: 100 })).toMatchObject({
      errorKind: "timeout",
      message: expect.stringContaining("(reading the answer)"),
    });
  });

  test("silence for as long as one likes to wait", async () => {
    const { url } = await serve((_request, response) => {
      setTimeout(() => response.end("{}"), 30);
    });
    const timeoutMs = Number.POSITIVE_INFINITY;
    expect(await modelsOf(url, { timeoutMs })).toMatchObject({ state: "ok" });
  });

  test("closing, before and within the answer", async () => {
    const closing = await listen((socket) => socket.destroy());
    expect(await modelsOf(closing)).toMatchObject({
      errorKind: "connection_reset",
      message: expect.stringContaining("https://"),
    });
    const within = await listen((socket) => {
      socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{");
      setTimeout(() => socket.destroy(), 20);
    });
    expect(await modelsOf(within)).toMatchObject({ errorKind: "connection_reset" });
  });

  test("something that is not HTTP", async () => {
    const url = await listen((socket) => {
      socket.on("error", () => {});
      socket.end("SSH-2.0-OpenSSH_9.6\r\n");
    });
    expect(await modelsOf(url)).toMatchObject({
      errorKind: "malformed",
      message: expect.stringContaining("does not speak HTTP"),
    });
  });

  test.skipIf(!hasIpv6)("not being there names each address that was tried", async () => {
    const { port } = await closedPort();
    const reply = await modelsOf(`localhost:${port}`);
    expect(reply).toMatchObject({ errorKind: "connection_failed" });
    expect(reply).toHaveProperty("message", expect.stringContaining(`127.0.0.1:${port}`));
    expect(reply).toHaveProperty("message", expect.stringContaining(`[::1]:${port}`));
    expect(reply).toHaveProperty("message", expect.stringContaining("ECONNREFUSED"));
  });
});

async function closedPort(): Promise<{ port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return { port: typeof address === "object" && address !== null ? address.port : 0 };
}

describe("abort", () => {
  test("before and while it waits: the reason is thrown", async () => {
    const { url } = await serve(() => {});
    const target = parseTarget(url);
    await expect(
      getJson(target, target.apiUrl("models"), { signal: AbortSignal.abort("no") }),
    ).rejects.toBe("no");
    const controller = new AbortController();
    const waiting = getJson(target, target.apiUrl("models"), { signal: controller.signal });
    setTimeout(() => controller.abort("stop"), 50);
    await expect(waiting).rejects.toBe("stop");
  });
});

describe("messageIn", () => {
  test.each([
    [{ error: { message: "a" } }, "a"],
    [{ error: "a" }, "a"],
    [{ message: "a", object: "error" }, "a"],
    [{ detail: "a" }, "a"],
    [{ error: { error: { message: "a" } } }, "a"],
    [{ error: {}, message: "a" }, "a"],
    [{ detail: [{ msg: "a" }] }, undefined],
    [{ error: null }, undefined],
    [null, undefined],
    [3, undefined],
  ])("of %j: %j", (json, message) => {
    expect(messageIn(json)).toBe(message);
  });

  test("deep nesting ends it", () => {
    const deep = `${'{"error":'.repeat(5000)}"a"${"}".repeat(5000)}`;
    expect(messageIn(JSON.parse(deep))).toBeUndefined();
  });
});
