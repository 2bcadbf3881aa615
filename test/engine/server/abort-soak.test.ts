import { expect, test } from "vitest";
import { rawSocket, wire } from "./support/raw-socket.ts";
import { complete, serveEngine, untilIdle } from "./support/serve-engine.ts";

const STREAMS = 2000;

test("2,000 aborted streams leave nothing behind, and the engine as it was", async () => {
  const server = await serveEngine({ phases: "spread", set: { maxRunning: 64 } });
  const body = wire({ prompt: "a b c", max_tokens: 4000, ignore_eos: true, stream: true });
  for (let done = 0; done < STREAMS; done += 50) {
    await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const raw = await rawSocket(server);
        raw.send(body);
        // Some before the reply, some with its head, some in its middle.
        if (i % 3 !== 0) await raw.until((text) => text.includes(i % 3 === 1 ? "200" : "data:"));
        raw.socket.resetAndDestroy();
      }),
    );
  }
  await untilIdle(server);
  const { counts, counters } = server.status();
  expect(counts).toMatchObject({ running: 0, waiting: 0, kvTokens: 0 });
  // A reset may overtake its own request.
  expect(counters.requests).toBeGreaterThan(STREAMS / 2);
  expect(counters.ends).toEqual({
    finished: 0,
    failed: 0,
    cut: 0,
    abandoned: counters.requests,
  });
  expect((await complete(server, { prompt: "a", max_tokens: 2 })).status).toBe(200);
});
