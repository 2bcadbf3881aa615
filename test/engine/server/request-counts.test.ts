import { expect, test } from "vitest";
import { rawSocket, wire } from "./support/raw-socket.ts";
import { complete, serveEngine, untilIdle } from "./support/serve-engine.ts";

const one = { prompt: "a", max_tokens: 3, ignore_eos: true };

test("every request for text is counted once, with the end that it had; nothing else is", async () => {
  const server = await serveEngine({ apiKey: "sesame" });
  const key = { authorization: "Bearer sesame" };
  await complete(server, one, key);
  await complete(server, { ...one, fault: { kind: "status", status: 503 } }, key);
  await complete(server, { ...one, fault: { kind: "error" } }, key);
  await complete(server, { ...one, model: "none" }, key);
  await complete(server, "{", key);
  // Without the key: refused as a request for text, and no request as a question.
  await complete(server, one);
  for (const path of ["/v1/models", "/nowhere", "/truth/nothing", "/v1/models/none"]) {
    expect((await fetch(`${server.url}${path}`)).ok).toBe(false);
  }
  expect((await fetch(`${server.url}/v1/completions`, { headers: key })).status).toBe(405);
  const models = `${server.url}/v1/models`;
  const posted = await fetch(models, { method: "POST", headers: key });
  expect([posted.status, posted.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  expect((await fetch(models, { headers: { authorization: "bearer sesame" } })).status).toBe(200);
  expect((await fetch(models, { headers: { authorization: "Bearer Sesame" } })).status).toBe(401);
  const head = `authorization: Bearer sesame\r\n`;
  const slow = { ...one, fault: { kind: "slow", delayMs: 1e9 } };
  for (const bytes of [wire(one, head).slice(0, -5), wire(slow, head)]) {
    const raw = await rawSocket(server);
    raw.send(bytes);
    await new Promise((resolve) => setTimeout(resolve, 50));
    raw.socket.destroy();
  }
  const { counters } = server.status();
  await expect.poll(() => counters.ends.abandoned).toBe(2);
  await untilIdle(server);
  expect(counters).toMatchObject({
    requests: 8,
    refused: 3,
    ends: { finished: 1, failed: 2, cut: 0, abandoned: 2 },
  });
});
