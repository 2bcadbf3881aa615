import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { detectModel, keyHint } from "../../src/target/detect-model.ts";
import { parseTarget } from "../../src/target/parse-target.ts";
import { always, serve } from "./support/serve.ts";

const KEY = "sk-test-SECRET123";

async function detect(status: number, body: unknown, options = {}) {
  const { url } = await serve(always(status, body));
  return detectModel(parseTarget(url, options));
}

const listOf = (...ids: unknown[]) => ({ object: "list", data: ids.map((id) => ({ id })) });

describe("a server with one model (S82)", () => {
  test("is asked for it", async () => {
    expect(await detect(200, listOf("m"))).toEqual({ state: "found", model: "m" });
  });

  test("says how long a context may be", async () => {
    // The shape that vLLM documents.
    const data = [{ id: "m", object: "model", owned_by: "vllm", max_model_len: 4096 }];
    expect(await detect(200, { object: "list", data })).toMatchObject({ contextTokens: 4096 });
  });

  test.each([
    ["listed twice", listOf("m", "m")],
    ["in a bare list", [{ id: "m" }]],
    ["beside entries without an id", { data: [null, 3, {}, { id: "" }, { id: 4 }, { id: "m" }] }],
  ])("%s", async (_how, body) => {
    expect(await detect(200, body)).toMatchObject({ state: "found", model: "m" });
  });
});

describe("what asks for --model (S82)", () => {
  test("two models, listed", async () => {
    const found = await detect(200, listOf("a", "b"));
    expect(found).toMatchObject({
      state: "ask",
      reason: "several",
      models: ["a", "b"],
      httpStatus: 200,
      message: expect.stringMatching(/\/v1\/models \(HTTP 200\) lists 2 models.*--model: a, b$/),
    });
  });

  test("very many models, not all of them listed", async () => {
    const ids = Array.from({ length: 300 }, (_, at) => `model-${at}`);
    const found = await detect(200, listOf(...ids));
    expect(found).toHaveProperty("message", expect.stringMatching(/model-19, and 280 more$/));
    expect(found).toHaveProperty("models.length", 300);
  });

  test("names that would write to the terminal", async () => {
    const found = await detect(200, listOf("a\u001b[2J\r\n", "b"));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there.
    expect(found).toHaveProperty("message", expect.not.stringMatching(/[\u0000-\u001f]/));
  });

  test.each([[{ data: [] }], [{}], [null], ["text"], [{ data: null }], [{ data: {} }]])(
    "no model: %j",
    async (body) => {
      expect(await detect(200, JSON.stringify(body))).toMatchObject({
        state: "ask",
        reason: "none",
        message: expect.stringMatching(/HTTP 200\).*--model/),
      });
    },
  );

  test.each([404, 500])("HTTP %i", async (status) => {
    expect(await detect(status, { detail: "Not Found" })).toMatchObject({
      state: "ask",
      reason: "no_answer",
      httpStatus: status,
      message: expect.stringMatching(new RegExp(`HTTP ${status}: Not Found; .*--model`)),
    });
  });

  test("HTTP 401, without a key and with a wrong one that is echoed (S80)", async () => {
    expect(await detect(401, {})).toMatchObject({
      message: expect.stringMatching(/HTTP 401.*--api-key-env NAME.*--model/),
    });
    const options = { apiKeyEnv: "API_KEY", env: { API_KEY: KEY } };
    const found = await detect(401, { error: { message: `bad key ${KEY}` } }, options);
    expect(found).toHaveProperty("message", expect.stringContaining("the variable API_KEY"));
    expect(inspect(found)).not.toContain("SECRET123");
  });

  test("nobody there", async () => {
    const { url } = await serve(always(200, {}));
    const gone = url.replace(/\d+$/, "1");
    expect(await detectModel(parseTarget(gone))).toMatchObject({
      reason: "no_answer",
      message: expect.stringContaining("ECONNREFUSED"),
    });
  });
});

test("keyHint names where the credentials came from", () => {
  expect(keyHint(parseTarget("http://u:p@h"))).toContain("what --target or --header-env gives");
});
