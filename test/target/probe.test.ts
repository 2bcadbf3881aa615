import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { parseTarget, type TargetOptions } from "../../src/target/parse-target.ts";
import { probe } from "../../src/target/probe.ts";
import { always, serve } from "./support/serve.ts";

const KEY = "sk-test-SECRET123";
const reply = {
  model: "m",
  system_fingerprint: "fp",
  choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
};

async function probeOf(status: number, body: unknown, options: TargetOptions = { model: "m" }) {
  const { url, asked } = await serve(always(status, body));
  return { url, asked, result: await probe(parseTarget(url, options)) };
}

describe("a server that answers", () => {
  test("once, with everything", async () => {
    const { result, asked } = await probeOf(200, reply);
    expect(result).toMatchObject({
      state: "ok",
      httpStatus: 200,
      address: "127.0.0.1",
      hasUsage: true,
      promptTokens: 12,
      completionTokens: 3,
      model: "m",
      systemFingerprint: "fp",
      warnings: [],
    });
    expect(result.latencyMs).toBeGreaterThan(0);
    expect(asked).toEqual(["POST /v1/chat/completions"]);
  });

  test.each([
    ["chat", { messages: [{ role: "user", content: "Say hello." }] }],
    ["completions", { prompt: "Say hello." }],
  ] as const)("is asked for little, by %s", async (endpoint, prompt) => {
    const bodies: string[] = [];
    const { url } = await serve(async (request, response) => {
      for await (const chunk of request) bodies.push(String(chunk));
      response.end(JSON.stringify(reply));
    });
    await probe(parseTarget(url, { endpoint, model: "m" }), {
      extraBody: { seed: 1, temperature: 1 },
    });
    expect(JSON.parse(bodies.join(""))).toEqual({
      model: "m",
      ...prompt,
      max_tokens: 8,
      temperature: 1,
      seed: 1,
      stream: false,
    });
  });

  test("without usage: unknown is not zero (R12)", async () => {
    for (const usage of [undefined, null, {}, { prompt_tokens: 0, completion_tokens: 0 }]) {
      const { result } = await probeOf(200, { ...reply, usage });
      expect(result).toMatchObject({
        state: "ok",
        hasUsage: false,
        promptTokens: null,
        completionTokens: null,
        warnings: [expect.stringContaining("no usage")],
      });
    }
  });

  test("from another model (S82)", async () => {
    const { result } = await probeOf(200, { ...reply, model: "other" });
    expect(result).toMatchObject({
      model: "other",
      warnings: ["asked for the model m, and the reply is from other"],
    });
  });

  test("without a name, or none was asked for: nothing to compare", async () => {
    const nameless = await probeOf(200, { ...reply, model: undefined });
    expect(nameless.result).toMatchObject({ model: null, warnings: [] });
    expect((await probeOf(200, reply, {})).result).toMatchObject({ model: "m", warnings: [] });
  });

  test("with an empty error beside the reply", async () => {
    for (const error of [null, "", {}]) {
      expect((await probeOf(200, { ...reply, error })).result.state).toBe("ok");
    }
  });
});

describe("a server that does not", () => {
  test("404 hints at the final address (S73, S84)", async () => {
    const { url, result } = await probeOf(404, { detail: "Not Found" });
    expect(result).toMatchObject({
      state: "error",
      errorKind: "http_status",
      httpStatus: 404,
      message: `${url}/v1/chat/completions: HTTP 404: Not Found; is that the address of the endpoint? It was made of ${url}/v1`,
    });
  });

  test("404 for a model that is not there hints at --model", async () => {
    // vLLM and Ollama answer so, by their documentation.
    const { result } = await probeOf(404, { error: { message: "The model `m` does not exist." } });
    expect(result).toHaveProperty("message", expect.stringContaining("--model"));
  });

  test.each([
    [401, "--api-key-env"],
    [403, "--api-key-env"],
    [405, "address of the endpoint"],
    [503, "not ready"],
    [500, "HTTP 500"],
  ])("%i", async (status, said) => {
    const { result } = await probeOf(status, {});
    expect(result).toMatchObject({ state: "error", httpStatus: status });
    expect(result).toHaveProperty("message", expect.stringContaining(said));
  });

  test("401 that echoes the key in every spelling (S80)", async () => {
    const spellings = [KEY, encodeURIComponent(`${KEY}=`), Buffer.from(KEY).toString("base64")];
    const message = `bad: ${spellings.join(" ")} Bearer ${KEY}`;
    const options = { apiKeyEnv: "API_KEY", env: { API_KEY: KEY } };
    const { result } = await probeOf(401, { error: { message } }, options);
    expect(inspect(result, { depth: 9 })).not.toMatch(/SECRET123|U0VDUkVUMTIz|c2stdGVzd/);
    expect(result).toHaveProperty("message", expect.stringContaining("the variable API_KEY"));
  });

  test("200 with an error in it (R8)", async () => {
    for (const error of [{ message: "boom" }, "boom"]) {
      const { result } = await probeOf(200, { error });
      expect(result).toMatchObject({
        state: "error",
        errorKind: "error_reply",
        message: expect.stringMatching(/error in it: boom$/),
      });
    }
  });

  test.each([[{ ...reply, choices: [] }], [{}], [[]], ["text"], [null]])(
    "200 with no choices: %j",
    async (body) => {
      const { result } = await probeOf(200, JSON.stringify(body));
      expect(result).toMatchObject({ state: "error", errorKind: "empty" });
    },
  );

  test("too late", async () => {
    const { url } = await serve(() => {});
    expect(await probe(parseTarget(url), { timeoutMs: 60 })).toMatchObject({
      state: "error",
      errorKind: "timeout",
      message: expect.stringContaining("no answer within 0.06 s"),
    });
  });

  test("without end: the limit is of the whole time, not of the silence", async () => {
    const { url } = await serve((_request, response) => {
      const timer = setInterval(() => response.write("data: {}\n\n"), 10);
      response.on("close", () => clearInterval(timer));
    });
    const result = await probe(parseTarget(url), { timeoutMs: 150 });
    expect(result).toMatchObject({
      state: "error",
      errorKind: "timeout",
      message: expect.stringContaining("no answer within 0.15 s (reading the answer)"),
    });
    expect(result.latencyMs).toBeGreaterThanOrEqual(149);
    expect(result.latencyMs).toBeLessThan(5000);
  });

  test("not there, inside a container (S79)", async () => {
    const target = parseTarget("http://127.0.0.1:1");
    expect(await probe(target, { isInContainer: () => true })).toMatchObject({
      errorKind: "connection_failed",
      message: expect.stringContaining("host.docker.internal"),
    });
    expect(await probe(target, { isInContainer: () => false })).toHaveProperty(
      "message",
      expect.not.stringContaining("host.docker.internal"),
    );
  });

  test("aborted: the reason is thrown", async () => {
    const signal = AbortSignal.timeout(30);
    const { url } = await serve(() => {});
    await expect(probe(parseTarget(url), { signal })).rejects.toThrow(/timeout|aborted/);
  });
});
