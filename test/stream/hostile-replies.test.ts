import { afterAll, describe, expect, test } from "vitest";
import { streamRequest } from "../../src/stream/stream-request.ts";
import { ask, askError, askOk, closing, connections } from "./support/ask.ts";
import { DONE, event, finish, head, token } from "./support/sse-text.ts";
import { targetOf } from "./support/targets.ts";

afterAll(() => connections.close());

const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

describe("what no reading was made for is a failed request, never an exception", () => {
  test.each<[string, string, string]>([
    [
      "a refusal nested 20,000 deep",
      `${head(400)}{"detail":${nested(20_000, "[", "]")}}`,
      "http_status",
    ],
    [
      "an error in an error, 20,000 times",
      `${head()}data: ${nested(20_000, '{"error":', "}").replace("}", "1}")}\n\n`,
      "stream_error",
    ],
    [
      "a message nested 20,000 deep",
      `${head()}data: {"error":{"message":${nested(20_000, "[", "]")}}}\n\n`,
      "stream_error",
    ],
    ["a status below all others", `HTTP/1.1 000 X\r\n\r\n${head()}data: x\n\n`, "malformed"],
  ])("%s", async (_what, reply, errorKind) => {
    expect(await askError(closing(reply))).toMatchObject({ state: "error", errorKind });
  });

  test.each([null, undefined, 7, "text", []])(
    "a body of %j is the caller's error, told as an outcome",
    async (body) => {
      const target = targetOf("http://127.0.0.1:9");
      const outcome = await streamRequest(target, body as unknown as object, { connections });
      expect(outcome).toMatchObject({ state: "error", errorKind: "client_error" });
    },
  );
});

describe("replies made to be slow are read in little time", () => {
  const quick = async (reply: string, leastKind: "ok" | "error"): Promise<void> => {
    const before = process.cpuUsage();
    const { outcome } = await ask(closing(reply));
    const { user, system } = process.cpuUsage(before);
    expect(outcome.state).toBe(leastKind);
    // CPU, for a busy machine takes longer: read one way these cost 8 s of it and more.
    expect((user + system) / 1e6).toBeLessThan(3);
  };

  test("16 MiB of nothing but line ends", () =>
    quick(head() + "\n".repeat(16 * 1024 * 1024), "error"));

  test("events whose text is in 2,000 parts each", () => {
    const parts = Array.from({ length: 2000 }, () => ({ type: "text", text: "x" }));
    const one = event({ choices: [{ index: 0, delta: { content: parts } }] });
    return quick(head() + one.repeat(14) + finish() + DONE, "ok");
  });

  test("20,000 choices in one event", () => {
    const choices = Array.from({ length: 20_000 }, (_, index) => ({
      index,
      delta: { content: "x" },
      finish_reason: "stop",
    }));
    return quick(head() + event({ choices }) + DONE, "ok");
  });
});

test("a second text beside the first is never taken for the first, whatever it says", async () => {
  const text = (i: number): string =>
    event({
      choices: [{ index: 0, delta: { reasoning_content: `c${i}`, reasoning: "joulemark?" } }],
    });
  const events = Array.from({ length: 40 }, (_, i) => text(i)).join("");
  const { reasoning } = await askOk(closing(head() + events + finish() + DONE));
  expect(reasoning).toBe(Array.from({ length: 40 }, (_, i) => `c${i}joulemark?`).join(""));
});

test("counts beyond all counts are unknown", async () => {
  const counts = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 9007199254740991 };
  const outcome = await askOk(
    closing(
      head() + token("a") + token("b") + finish() + event({ choices: [], usage: counts }) + DONE,
    ),
  );
  expect(outcome.completionTokens).toBe(2);
});
