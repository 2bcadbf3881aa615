import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { OkOutcome, RequestOutcome } from "joulemark";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { childrenOf } from "../../support/children.ts";
import { isAlive } from "../../support/eventually.ts";
import {
  type InstalledLlama,
  installLlama,
  type RunningLlama,
} from "../../support/llama-server.ts";

const { nowMs, parseTarget, streamRequest } = (await import(
  "../../../dist/index.js" as string
)) as typeof import("joulemark");

const SLOTS = 8;
let llama: InstalledLlama;
let server: RunningLlama;

beforeAll(async () => {
  llama = await installLlama();
  server = await llama.start("--slots", String(SLOTS));
}, 150_000);
afterAll(() => llama?.remove());

/** What a request asks for beside the prompt; `undefined` leaves a field out. */
type Fields = Readonly<Record<string, unknown>>;

const PROMPT = "What is between the sea and the sky?";

function ask(fields: Fields = {}, { url, signal }: { url?: string; signal?: AbortSignal } = {}) {
  const target = parseTarget(url ?? server.url, { model: server.model });
  const messages = [{ role: "user", content: PROMPT }];
  const body = { model: server.model, messages, ignore_eos: true, ...fields };
  return streamRequest(target, body, signal === undefined ? {} : { signal });
}

/** A prompt of so many tokens: in the tiny model's vocabulary, each of these words is one. */
function complete(words: number, fields: Fields = {}): Promise<RequestOutcome> {
  const target = parseTarget(server.url, { model: server.model, endpoint: "completions" });
  return streamRequest(target, { prompt: Array(words).fill("a").join(" "), ...fields });
}

function ok(outcome: RequestOutcome): OkOutcome {
  expect(outcome).toMatchObject({ state: "ok" });
  return outcome as OkOutcome;
}

async function okInTurn(count: number, fields: Fields): Promise<OkOutcome[]> {
  const outcomes: OkOutcome[] = [];
  for (let index = 0; index < count; index++) outcomes.push(ok(await ask(fields)));
  return outcomes;
}

async function okAtOnce(count: number, fields: Fields): Promise<OkOutcome[]> {
  return (await Promise.all(Array.from({ length: count }, () => ask(fields)))).map(ok);
}

interface Reply {
  readonly status: number;
  readonly json: {
    readonly choices: readonly { text: string; message: { content: string } }[];
    readonly usage: unknown;
    readonly error: unknown;
  };
}

async function post(path: string, body: string | object, url = server.url): Promise<Reply> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const reply = await fetch(url + path, { method: "POST", body: text });
  return { status: reply.status, json: (await reply.json()) as Reply["json"] };
}

/** Waits until a server has so many requests in slots and in its queue. */
async function load(url: string, active: number, queued: number): Promise<void> {
  const untilMs = nowMs() + 30_000;
  for (;;) {
    const health = (await (await fetch(`${url}/health`)).json()) as Health;
    if (health.active === active && health.queued === queued) return;
    if (nowMs() > untilMs) throw new Error(`never ${active}+${queued}: ${JSON.stringify(health)}`);
  }
}

interface Health {
  readonly active: number;
  readonly queued: number;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
const ttftMs = (outcome: OkOutcome): number => outcome.firstTokenMs! - outcome.sentMs;
const promptMs = ({ serverTimings }: OkOutcome): number => serverTimings!.promptMs!;

describe("what joulemark reads is what the engine says", () => {
  test("tokens: as many as were asked for, in the engine's own count and in events", async () => {
    for (const max_tokens of [1, 2, 64, 300]) {
      const { serverTimings, ...outcome } = ok(await ask({ max_tokens }));
      expect(outcome).toMatchObject({
        completionTokens: max_tokens,
        reportedCompletionTokens: max_tokens,
        tokenEventCount: max_tokens,
        tokenSource: "usage",
        finishReason: "length",
        model: server.model,
      });
      expect(serverTimings!.predictedTokens).toBe(max_tokens);
    }
  });

  test("prompt tokens: the whole prompt, however long and however often it came before", async () => {
    for (const words of [1, 10, 1500, ...Array(SLOTS + 1).fill(40)] as number[]) {
      const outcome = ok(await complete(words, { max_tokens: 2 }));
      const { promptTokens, cachedPromptTokens } = outcome.serverTimings!;
      expect(outcome.promptTokens).toBe(words);
      expect(promptTokens! + cachedPromptTokens!).toBe(words);
      expect(outcome.cachedPromptTokens).toBe(cachedPromptTokens);
    }
  });

  // Other work on the machine only adds to both: one calm round of three is enough.
  test("TTFT is never below the engine's own time for the prompt, and 20 ms above at most", {
    retry: 2,
  }, async () => {
    const outcomes = await okInTurn(10, { max_tokens: 16 });
    for (const outcome of outcomes)
      expect(ttftMs(outcome)).toBeGreaterThanOrEqual(promptMs(outcome));
    const above = outcomes.map((outcome) => ttftMs(outcome) - promptMs(outcome));
    expect(median(above)).toBeLessThanOrEqual(20);
  });

  test("TPOT is within 0.5 ms of the engine's own", { retry: 2 }, async () => {
    const outcomes = await okInTurn(10, { max_tokens: 128 });
    const apart = outcomes.map(({ tpotMs, serverTimings }) =>
      Math.abs(tpotMs! - serverTimings!.predictedMs! / serverTimings!.predictedTokens!),
    );
    expect(median(apart)).toBeLessThanOrEqual(0.5);
  });
});

describe("a model that says anything", () => {
  let url: string;
  beforeAll(async () => {
    const model = join(llama.folder, "anything.gguf");
    const argv = [join(llama.folder, "make-model.mjs"), model, "anything"];
    execFileSync(process.execPath, argv, { stdio: "pipe" });
    ({ url } = await llama.start("--model", model));
  });

  test("tokens that are no whole character are counted, though no event brings them", async () => {
    const fields = { max_tokens: 100, seed: 1, ignore_eos: true };
    const outcome = ok(await ask(fields, { url }));
    expect(outcome).toMatchObject({ completionTokens: 100, finishReason: "length" });
    expect(outcome.serverTimings!.predictedTokens).toBe(100);
    expect(outcome.tokenEventCount).toBeLessThan(100);
    const messages = [{ role: "user", content: PROMPT }];
    const { json } = await post("/v1/chat/completions", { messages, ...fields }, url);
    expect(json.choices[0]!.message.content).toBe(outcome.text);
  });

  test("it ends by itself, sooner or later, but not where the end is to be ignored", async () => {
    const [seed, tokens] = await endOf(url);
    const fields = { seed, max_tokens: tokens + 100 };
    expect(ok(await ask(fields, { url }))).toMatchObject({
      completionTokens: tokens + 100,
      finishReason: "length",
    });
  });
});

/** A seed with which a reply ends by itself, and after how many tokens. */
async function endOf(url: string): Promise<[seed: number, tokens: number]> {
  for (let seed = 1; seed <= 20; seed++) {
    const fields = { max_tokens: 1000, seed, ignore_eos: false };
    const { finishReason, completionTokens } = ok(await ask(fields, { url }));
    if (finishReason === "stop") return [seed, completionTokens!];
  }
  throw new Error("no reply ended by itself");
}

describe("many requests at once", () => {
  test("eight share the engine: each has begun before any has ended", async () => {
    const outcomes = await okAtOnce(SLOTS, { max_tokens: 400 });
    const lastBeginMs = Math.max(...outcomes.map(({ firstTokenMs }) => firstTokenMs!));
    const firstEndMs = Math.min(...outcomes.map(({ lastTokenMs }) => lastTokenMs!));
    expect(lastBeginMs).toBeLessThan(firstEndMs);
  });

  test("batching is continuous: one joins another that runs, and ends before it", async () => {
    const long = ask({ max_tokens: 2000 });
    await load(server.url, 1, 0);
    const joined = ok(await ask({ max_tokens: 8 }));
    expect(joined.endMs).toBeLessThan(ok(await long).endMs);
  });

  test("sixteen on eight slots: eight are computed, eight wait, and all are served", async () => {
    const all = okAtOnce(2 * SLOTS, { max_tokens: 400 });
    await load(server.url, SLOTS, SLOTS);
    const tokens = (await all).map(({ completionTokens }) => completionTokens);
    expect(tokens).toEqual(Array(2 * SLOTS).fill(400));
  });

  test("a client that goes away frees its slot, or its place in the queue", async () => {
    const { url } = await llama.start("--slots", "1");
    const uncut = ok(await ask({ max_tokens: 2000 }, { url }));
    const [first, second] = [new AbortController(), new AbortController()];
    const gone = [ask({ max_tokens: 2000 }, { url, signal: first.signal })];
    await load(url, 1, 0);
    gone.push(ask({ max_tokens: 2000 }, { url, signal: second.signal }));
    await load(url, 1, 1);
    const waiting = ask({ max_tokens: 1 }, { url });
    await load(url, 1, 2);
    second.abort();
    await load(url, 1, 1);
    const leftMs = nowMs();
    first.abort();
    expect(ok(await waiting).endMs - leftMs).toBeLessThan((uncut.endMs - uncut.sentMs) / 2);
    await load(url, 0, 0);
    for (const outcome of await Promise.all(gone)) expect(outcome.errorKind).toBe("cancelled");
  });
});

describe("what a request may ask for", () => {
  test("a seed, or a temperature of 0, gives the same text again", async () => {
    const texts = async (fields: Fields) =>
      (await okInTurn(3, { max_tokens: 40, ...fields })).map(({ text }) => text);
    expect(new Set(await texts({ temperature: 0 })).size).toBe(1);
    expect(new Set(await texts({ seed: 7 })).size).toBe(1);
    expect(new Set(await texts({})).size).toBe(3);
  });

  test("a stop ends the text before itself, and is not in it", async () => {
    const fields = { max_tokens: 64, temperature: 0 };
    const { text } = ok(await ask(fields));
    const stop = text!.slice(30, 37);
    const stopped = ok(await ask({ ...fields, stop: [stop, "never said"] }));
    expect(stopped.text).toBe(text!.slice(0, text!.indexOf(stop)));
    expect(stopped.finishReason).toBe("stop");
    expect(stopped.completionTokens).toBeLessThan(64);
  });

  test("a reply that is not streamed has the same text and the same counts", async () => {
    const fields = { max_tokens: 20, temperature: 0 };
    const streamed = ok(await complete(5, fields));
    const { status, json } = await post("/v1/completions", { prompt: "a a a a a", ...fields });
    expect(status).toBe(200);
    expect(json.choices[0]!.text).toBe(streamed.text);
    expect(json.usage).toEqual({
      prompt_tokens: 5,
      completion_tokens: 20,
      total_tokens: 25,
      prompt_tokens_details: { cached_tokens: 0 },
    });
  });

  test("no usage comes where none was asked for; the engine's times do", async () => {
    const outcome = ok(await ask({ max_tokens: 4, stream_options: { include_usage: false } }));
    expect(outcome).toMatchObject({ tokenSource: "absent", estimatedTokens: 4 });
    expect(outcome.serverTimings!.predictedTokens).toBe(4);
  });
});

describe("what it refuses, in the envelope of the API", () => {
  const chat = "/v1/chat/completions";
  const message = { role: "user", content: "x" };
  test.each<[string, string, string | object, number, object]>([
    ["a body that is no JSON", chat, '{"messages": [', 400, { code: null }],
    ["a body that is no object", chat, "[]", 400, { code: null }],
    ["no messages", chat, { messages: [] }, 400, { param: "messages" }],
    [
      "a picture",
      chat,
      { messages: [{ role: "user", content: [{ type: "image_url" }] }] },
      400,
      {},
    ],
    [
      "no token to make",
      chat,
      { messages: [message], max_tokens: 0 },
      400,
      { param: "max_tokens" },
    ],
    ["two choices", chat, { messages: [message], n: 2 }, 400, { param: "n" }],
    ["an empty prompt", "/v1/completions", { prompt: "" }, 400, { param: "prompt" }],
    ["a path that is not there", "/v1/embeddings", { input: "x" }, 404, {}],
    ["a wrong method", "/v1/models", {}, 405, {}],
    [
      "a prompt that is too long",
      "/v1/completions",
      { prompt: "a ".repeat(10_000) },
      400,
      { code: "context_length_exceeded" },
    ],
    [
      "a reply that is too long",
      chat,
      { messages: [message], max_tokens: 10_000 },
      400,
      { code: "context_length_exceeded" },
    ],
  ])("%s", async (_, path, body, status, error) => {
    const reply = await post(path, body);
    expect(reply.status).toBe(status);
    const envelope = { message: expect.any(String), type: "invalid_request_error", ...error };
    expect(reply.json.error).toMatchObject(envelope);
  });
});

describe("the process", () => {
  test("says one line on stdout, and nothing of what the engine says", async () => {
    await ask({ max_tokens: 4 });
    const line = JSON.stringify({ url: server.url, model: server.model });
    expect(server.stdout()).toBe(`${line}\n`);
  });

  test.each(["SIGTERM", "SIGINT", "the end of stdin"])("ends in order by %s", async (how) => {
    const { child, ended, url } = await llama.start();
    const cut = ask({ max_tokens: 4000 }, { url });
    await load(url, 1, 0);
    if (how === "the end of stdin") child.stdin!.end();
    else child.kill(how as NodeJS.Signals);
    expect(await ended).toBe(0);
    expect((await cut).state).toBe("error");
  });

  test("leaves no engine behind when it is killed", async () => {
    const { child, ended } = await llama.start();
    const [engine] = childrenOf(child.pid!);
    child.kill("SIGKILL");
    await ended;
    const untilMs = nowMs() + 10_000;
    while (isAlive(engine!) && nowMs() < untilMs) await new Promise((r) => setTimeout(r, 10));
    expect(isAlive(engine!)).toBe(false);
  });

  test("ends with a word when its model is none", async () => {
    const argv = [join(llama.folder, "server.mjs"), "--port", "0", "--model"];
    const run = (model: string) => {
      try {
        return execFileSync(process.execPath, [...argv, model], { stdio: "pipe" }).toString();
      } catch (error) {
        return (error as { stderr: Buffer }).stderr.toString();
      }
    };
    expect(run(join(llama.folder, "README.md"))).toMatch(/README.md is not a model in GGUF/);
    expect(run("/nowhere.gguf")).toMatch(/no such file/);
  });
});

test("its types hold", () => {
  execFileSync("npx", ["--no-install", "tsc", "-p", "examples/llama-server"], { stdio: "inherit" });
});
