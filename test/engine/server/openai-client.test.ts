import OpenAI, {
  APIConnectionTimeoutError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from "openai";
import { describe, expect, test } from "vitest";
import type { EngineOptions } from "../../../src/engine/engine-options.ts";
import { serveEngine, untilIdle } from "./support/serve-engine.ts";

async function clientOf(options: EngineOptions = {}, apiKey = "none") {
  const server = await serveEngine(options);
  const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey, maxRetries: 0 });
  return { server, client };
}

const model = "sim-tiny";
const messages = [{ role: "user" as const, content: "What is a joule?" }];

/** What `create` takes beside what its types know. */
const extra = (fields: object): object => fields;

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe("the OpenAI client", () => {
  test("lists the model and retrieves it, and no other", async () => {
    const { client } = await clientOf();
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual([model]);
    expect(await client.models.retrieve(model)).toMatchObject({ id: model, object: "model" });
    expect(await failureOf(client.models.retrieve("gpt-5"))).toBeInstanceOf(NotFoundError);
  });

  test("gets a whole chat reply with its usage", async () => {
    const { client } = await clientOf();
    const reply = await client.chat.completions.create({ model, messages, max_tokens: 5 });
    expect(reply.object).toBe("chat.completion");
    expect(reply.choices).toHaveLength(1);
    expect(reply.choices[0]!.message.role).toBe("assistant");
    expect(reply.choices[0]!.message.content).toMatch(/\w/);
    expect(reply.choices[0]!.finish_reason).toBe("length");
    expect(reply.usage!.completion_tokens).toBe(5);
    expect(reply.usage!.total_tokens).toBe(reply.usage!.prompt_tokens + 5);
    expect(reply.usage!.prompt_tokens_details!.cached_tokens).toBe(0);
  });

  test("streams the same chat that it gets whole, with usage at the end where it is asked for", async () => {
    const { client } = await clientOf();
    const asked = { model, messages, max_tokens: 12, seed: 7 };
    const whole = await client.chat.completions.create(asked);
    const stream = await client.chat.completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    const usages: OpenAI.CompletionUsage[] = [];
    const reasons: string[] = [];
    const roles: string[] = [];
    for await (const chunk of stream) {
      expect(chunk.object).toBe("chat.completion.chunk");
      const [choice] = chunk.choices;
      text += choice?.delta.content ?? "";
      if (choice?.delta.role) roles.push(choice.delta.role);
      if (choice?.finish_reason) reasons.push(choice.finish_reason);
      if (chunk.usage) usages.push(chunk.usage);
    }
    expect(text).toBe(whole.choices[0]!.message.content);
    expect(roles).toEqual(["assistant"]);
    expect(reasons).toEqual(["length"]);
    // The second one is found in the prefix cache only as far as its prompt has whole blocks.
    expect(usages).toMatchObject([{ completion_tokens: 12 }]);
  });

  test("its stream helper puts the chat together", async () => {
    const { client } = await clientOf();
    const runner = client.chat.completions.stream({ model, messages, max_tokens: 6 });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]!.message.content).toMatch(/\w/);
    expect(final.choices[0]!.finish_reason).toBe("length");
  });

  test("gets completions, whole and streamed, of several prompts and of token ids", async () => {
    const { client } = await clientOf();
    const asked = { model, prompt: ["one", "two"], max_tokens: 4, seed: 3 };
    const whole = await client.completions.create(asked);
    expect(whole.choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(whole.usage!.completion_tokens).toBe(8);
    const texts = ["", ""];
    for await (const chunk of await client.completions.create({ ...asked, stream: true })) {
      for (const { index, text } of chunk.choices) texts[index] += text;
    }
    expect(texts).toEqual(whole.choices.map(({ text }) => text));
    const ids = await client.completions.create({ model, prompt: [1, 2, 3], max_tokens: 2 });
    expect(ids.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 2 });
  });

  test("n replies differ, and the prompt counts once", async () => {
    const { client } = await clientOf();
    const one = await client.chat.completions.create({ model, messages, max_tokens: 9 });
    const two = await client.chat.completions.create({ model, messages, max_tokens: 9, n: 2 });
    const [first, second] = two.choices.map(({ message }) => message.content);
    expect(first).not.toBe(second);
    expect(two.usage!.prompt_tokens).toBe(one.usage!.prompt_tokens);
    expect(two.usage!.completion_tokens).toBe(18);
  });

  test("a stop text ends a reply before it, and no part of it comes, streamed or whole", async () => {
    const { client } = await clientOf();
    const asked = {
      model,
      prompt: "stop",
      max_tokens: 60,
      seed: 5,
      ...extra({ ignore_eos: true }),
    };
    const full = (await client.completions.create(asked)).choices[0]!.text;
    // From within one word into the next.
    const stop = full.slice(83, 91);
    const at = full.indexOf(stop);
    const whole = await client.completions.create({ ...asked, stop: ["\u0000", stop] });
    expect(whole.choices[0]).toMatchObject({ text: full.slice(0, at), finish_reason: "stop" });
    expect(whole.usage!.completion_tokens).toBeLessThan(60);
    let streamed = "";
    for await (const { choices } of await client.completions.create({
      ...asked,
      stop,
      stream: true,
    })) {
      streamed += choices[0]?.text ?? "";
    }
    expect(streamed).toBe(full.slice(0, at));
  });

  test("knows each error by its class, with field and code", async () => {
    const { client } = await clientOf({ strictFields: true });
    const ask = (fields: object) =>
      failureOf(client.chat.completions.create({ model, messages, ...fields }));
    const bad = await ask({ max_tokens: -1 });
    expect(bad).toBeInstanceOf(BadRequestError);
    expect(bad).toMatchObject({ status: 400, param: "max_tokens", type: "invalid_request_error" });
    expect(await ask({ max_tokens: 1_000_000 })).toMatchObject({ code: "context_length_exceeded" });
    expect(await ask({ unheard_of: 1 })).toMatchObject({ status: 400, param: "unheard_of" });
    const unknown = await ask({ model: "gpt-5" });
    expect(unknown).toBeInstanceOf(NotFoundError);
    expect(unknown).toMatchObject({ code: "model_not_found", param: "model" });
    const busy = await ask({ fault: { kind: "status", status: 429, retryAfterS: 3 } });
    expect(busy).toBeInstanceOf(RateLimitError);
    expect((busy as RateLimitError).headers.get("retry-after")).toBe("3");
    expect(await ask({ fault: { kind: "status", status: 503 } })).toBeInstanceOf(
      InternalServerError,
    );
  });

  test("is let in with the key alone", async () => {
    const { server, client } = await clientOf({ apiKey: "sim-key" }, "another");
    const refused = await failureOf(client.models.list().then());
    expect(refused).toBeInstanceOf(AuthenticationError);
    expect(refused).toMatchObject({ code: "invalid_api_key" });
    const right = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "sim-key" });
    expect((await right.models.list()).data).toHaveLength(1);
  });

  test("tries again by itself, when it may", async () => {
    const { server } = await clientOf({
      faults: [{ kind: "status", status: 503, untilRequest: 1 }],
    });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 1 });
    const reply = await client.chat.completions.create({ model, messages, max_tokens: 2 });
    expect(reply.usage!.completion_tokens).toBe(2);
    expect(server.status().counters).toMatchObject({
      requests: 2,
      ends: { failed: 1, finished: 1 },
    });
  });
});

describe("in the middle of a stream", () => {
  const long = { model, messages, max_tokens: 5000, stream: true as const };

  test("the client goes, and the engine stops working for it", async () => {
    const { server, client } = await clientOf();
    const stream = await client.chat.completions.create({
      ...long,
      ...extra({ ignore_eos: true }),
    });
    let chunks = 0;
    for await (const _ of stream) if (++chunks === 3) break;
    expect(chunks).toBe(3);
    await untilIdle(server);
    expect(server.status().counters.ends.abandoned).toBe(1);
  });

  test("its abort signal ends it", async () => {
    const { server, client } = await clientOf();
    const controller = new AbortController();
    const body = { ...long, ...extra({ ignore_eos: true }) };
    const stream = await client.chat.completions.create(body, { signal: controller.signal });
    let chunks = 0;
    for await (const _ of stream) if (++chunks === 3) controller.abort();
    await untilIdle(server);
    const whole = failureOf(
      client.chat.completions.create(
        { model, messages, max_tokens: 5000, ...extra({ ignore_eos: true }) },
        { signal: AbortSignal.timeout(50) },
      ),
    );
    expect(await whole).toBeInstanceOf(APIUserAbortError);
    await untilIdle(server);
    expect(server.status().counters.ends.abandoned).toBe(2);
  });

  test("an error event is an APIError, after the tokens before it", async () => {
    const { client } = await clientOf();
    const fault = { kind: "error", afterEvents: 2, message: "out of memory – 记忆" };
    const stream = await client.chat.completions.create({ ...long, ...extra({ fault }) });
    let text = "";
    const reading = (async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? "";
    })();
    const error = await failureOf(reading);
    expect(error).toBeInstanceOf(APIError);
    expect((error as APIError).message).toContain("out of memory – 记忆");
    expect(text).not.toBe("");
  });

  test("a reply that does not come is the client's timeout", async () => {
    const { server, client } = await clientOf();
    const body = { model, messages, ...extra({ fault: { kind: "stall" } }) };
    const error = await failureOf(client.chat.completions.create(body, { timeout: 150 }));
    expect(error).toBeInstanceOf(APIConnectionTimeoutError);
    await untilIdle(server);
    expect(server.status().counters.ends).toMatchObject({ abandoned: 1, finished: 0 });
  });
});
