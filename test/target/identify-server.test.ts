import { describe, expect, test } from "vitest";
import { identifyServer } from "../../src/target/identify-server.ts";
import { parseTarget } from "../../src/target/parse-target.ts";
import { answers, serve } from "./support/serve.ts";

async function identify(
  byPath: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
  options = {},
) {
  const { url, asked } = await serve(answers(byPath, headers));
  return { asked, facts: await identifyServer(parseTarget(url), options) };
}

const ownedBy = (owned_by: string) => ({ "/v1/models": { data: [{ id: "m", owned_by }] } });

/** Each written from the documented shape of the server's answers, cut to what is read; none recorded. */
const documented: readonly (readonly [string, Record<string, unknown>, object])[] = [
  ["vLLM", { ...ownedBy("vllm"), "/version": { version: "0.11.0" } }, { version: "0.11.0" }],
  [
    "vLLM",
    { "/metrics": "# HELP vllm:num_requests_running n\n", "/version": { version: "0.9.1" } },
    { version: "0.9.1", how: "names in /metrics (vllm:…), version by /version" },
  ],
  [
    "SGLang",
    {
      ...ownedBy("sglang"),
      "/get_server_info": { model_path: "q", tokenizer_path: "q", version: "0.5.2" },
    },
    { version: "0.5.2" },
  ],
  [
    "SGLang",
    {
      ...ownedBy("sglang"),
      "/server_info": { model_path: "q", tokenizer_path: "q", version: "0.5.9" },
    },
    { version: "0.5.9", how: "owned_by in the list of models, version by /server_info" },
  ],
  [
    "llama.cpp",
    { "/props": { default_generation_settings: {}, total_slots: 4, build_info: "b8681-Debian" } },
    { version: "b8681-Debian", how: "/props" },
  ],
  ["llama.cpp", { "/metrics": "llamacpp:prompt_tokens_total 1\n" }, { how: expect.any(String) }],
  [
    "Ollama",
    { ...ownedBy("library"), "/api/version": { version: "0.12.6" } },
    { version: "0.12.6" },
  ],
  ["Ollama", { "/api/version": { version: "0.12.6" } }, { version: "0.12.6", how: "/api/version" }],
  [
    "TGI",
    { "/info": { model_id: "q", max_concurrent_requests: 128, version: "3.3.2", sha: "a" } },
    { version: "3.3.2" },
  ],
  ["TGI", { "/metrics": "# TYPE tgi_queue_size gauge\n" }, {}],
  [
    "TensorRT-LLM",
    { ...ownedBy("tensorrt_llm"), "/version": { version: "1.0.0" } },
    { version: "1.0.0" },
  ],
  [
    "Triton",
    { "/v2": { name: "triton", version: "2.57.0", extensions: [] } },
    { version: "2.57.0" },
  ],
  [
    "LM Studio",
    { "/api/v0/models": { data: [{ id: "m", publisher: "p", compatibility_type: "gguf" }] } },
    { how: "/api/v0/models" },
  ],
  ["LM Studio", ownedBy("organization_owner"), {}],
];

describe("a server that says what it is (shapes from documentation)", () => {
  test.each(documented)("%s by %j", async (name, byPath, more) => {
    const { facts } = await identify(byPath);
    expect(facts).toMatchObject({ name, ...more });
  });

  test("in its server header", async () => {
    const { facts, asked } = await identify({ "/v1/models": {} }, { server: "llama.cpp" });
    expect(facts).toEqual({ name: "llama.cpp", how: "server header" });
    expect(asked).toEqual(["GET /v1/models", "GET /props"]);
  });

  test.each([
    ["fp_ollama", { name: "Ollama", how: "system_fingerprint" }],
    [
      "0.29.1-0.29.3-macOS-26.0-arm64-arm-64bit-applegpu_g16s",
      { name: "mlx_lm", version: "0.29.1", how: "system_fingerprint" },
    ],
  ])("in the fingerprint %s", async (systemFingerprint, expected) => {
    expect((await identify({}, {}, { systemFingerprint })).facts).toEqual(expected);
  });
});

describe("a server that does not", () => {
  test("is not known, after few questions", async () => {
    const { facts, asked } = await identify({ "/v1/models": {} }, { server: "uvicorn" });
    expect(facts).toBeUndefined();
    expect(asked.length).toBeLessThanOrEqual(10);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test("tells a version alone, or a name alone", async () => {
    expect((await identify({ "/version": { version: "1.2" } })).facts).toEqual({
      version: "1.2",
      how: "/version",
    });
    expect((await identify(ownedBy("vllm"))).facts).toEqual({
      name: "vLLM",
      how: "owned_by in the list of models",
    });
  });

  test("gives a version of someone else in front of it", async () => {
    const gateway = { ...ownedBy("sglang"), "/get_server_info": { version: "9" } };
    expect((await identify(gateway)).facts).toEqual({
      name: "SGLang",
      how: "owned_by in the list of models",
    });
  });

  test.each([
    ["another owner", ownedBy("me")],
    [
      "odd values",
      { "/version": { version: 3 }, "/v2": [], "/info": null, "/v1/models": { data: 3 } },
    ],
    ["a version that is no version", { "/version": { version: "\u001b[2J" } }],
    [
      "the same page for all",
      Object.fromEntries(["/metrics", "/version"].map((it) => [it, "<html>"])),
    ],
  ])("answers %s", async (_what, byPath) => {
    expect((await identify(byPath)).facts).toBeUndefined();
  });

  test("hangs: the time for all questions together is kept", async () => {
    const { url } = await serve(() => {});
    const startMs = performance.now();
    expect(await identifyServer(parseTarget(url), { timeoutMs: 200 })).toBeUndefined();
    expect(performance.now() - startMs).toBeLessThan(1500);
  });

  test("is not there", async () => {
    expect(await identifyServer(parseTarget("http://127.0.0.1:1"))).toBeUndefined();
  });

  test("asks no more when it is aborted", async () => {
    const { url } = await serve(() => {});
    const signal = AbortSignal.timeout(30);
    await expect(identifyServer(parseTarget(url), { signal })).rejects.toThrow(/timeout|aborted/);
  });
});

test("a server's own pages are looked for in front of its API", async () => {
  const { url, asked } = await serve(answers({ "/proxy/version": { version: "1" } }));
  expect(await identifyServer(parseTarget(`${url}/proxy/v1`))).toMatchObject({ version: "1" });
  expect(asked[0]).toBe("GET /proxy/v1/models");
});
