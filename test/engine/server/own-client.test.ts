import { describe, expect, test } from "vitest";
import { nowMs } from "../../../src/clock.ts";
import { EngineTruth } from "../../../src/engine/engine-truth.ts";
import { Connections } from "../../../src/stream/connections.ts";
import { streamRequest } from "../../../src/stream/stream-request.ts";
import { detectModel } from "../../../src/target/detect-model.ts";
import { identifyServer } from "../../../src/target/identify-server.ts";
import { parseTarget } from "../../../src/target/parse-target.ts";
import { probe } from "../../../src/target/probe.ts";
import { calibratePrompts } from "../../../src/workloads/calibrate-prompts.ts";
import { serveEngine } from "./support/serve-engine.ts";

const messages = [{ role: "user", content: "Say a lot about joules." }];

describe("joulemark before a run", () => {
  test("finds the model and how long its context is, and a probe finds usage", async () => {
    const { url } = await serveEngine();
    const target = parseTarget(url);
    expect(await detectModel(target)).toEqual({
      state: "found",
      model: "sim-tiny",
      contextTokens: 16_384,
    });
    expect(await probe(parseTarget(url, { model: "sim-tiny" }))).toMatchObject({
      state: "ok",
      hasUsage: true,
      completionTokens: 8,
      model: "sim-tiny",
      warnings: [],
    });
  });

  test("knows the engine, and does not take it for vLLM by its metrics", async () => {
    const { url } = await serveEngine();
    expect(await (await fetch(`${url}/metrics`)).text()).toContain("vllm:generation_tokens_total");
    expect(await identifyServer(parseTarget(url))).toEqual({
      name: "joulemark engine (SIMULATED)",
      how: "server header",
    });
  });

  test("calibrates prompts by the engine's own count", async () => {
    const { url } = await serveEngine();
    const count = async (content: string): Promise<number | null> => {
      const target = parseTarget(url);
      const body = { messages: [{ role: "user", content }], max_tokens: 1 };
      return (await streamRequest(target, body)).promptTokens;
    };
    const prompts = await calibratePrompts({ targetTokens: 512, count });
    expect(prompts).toMatchObject({ isCalibrated: true, isWithinTolerance: true });
    const asked = await count(prompts.promptFor(3));
    expect(Math.abs(asked! - 512)).toBeLessThanOrEqual(prompts.toleranceTokens);
  });
});

describe("joulemark's own client", () => {
  test("counts the engine's tokens, and finds its times beside the truth", async () => {
    const { url } = await serveEngine({ set: { stepBaseMs: 15 } });
    const body = { messages, max_tokens: 30, ignore_eos: true };
    const outcome = await streamRequest(parseTarget(url), body);
    if (outcome.state !== "ok") throw new Error(outcome.errorMessage);
    expect(outcome).toMatchObject({ completionTokens: 30, tokenEventCount: 30, streamed: true });
    const [reply] = await new EngineTruth(url).replies();
    expect(reply).toMatchObject({ promptTokens: outcome.promptTokens, end: "finished" });
    expect(reply!.tokens.reduce((sum, tokens) => sum + tokens)).toBe(30);
    // Nothing arrives before it is sent, and hardly later.
    const lagsMs = [...outcome.tokenAtMs].map((atMs, i) => atMs - reply!.sentMs[i]!);
    expect(Math.min(...lagsMs)).toBeGreaterThanOrEqual(0);
    expect(lagsMs.toSorted((a, b) => a - b)[15]).toBeLessThan(100);
    expect(reply!.arrivedMs).toBeGreaterThanOrEqual(outcome.sentMs);
    const stepMs = (reply!.dueMs.at(-1)! - reply!.dueMs[0]!) / 29;
    expect(Math.abs(outcome.tpotMs! - stepMs)).toBeLessThan(stepMs);
    expect(stepMs).toBeGreaterThanOrEqual(15);
  });

  test("sees how many tokens each event has, where drafts are taken", async () => {
    const { url } = await serveEngine({ set: { draftTokens: 3 } });
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const body = { messages, max_tokens: 60, ignore_eos: true, stream_options };
    const outcome = await streamRequest(parseTarget(url), body);
    const [reply] = await new EngineTruth(url).replies();
    expect([...outcome.tokensByEvent!]).toEqual(reply!.tokens);
    expect(Math.max(...reply!.tokens)).toBeGreaterThan(1);
    expect(outcome.completionTokens).toBe(60);
    expect(outcome.tokenEventCount).toBeLessThan(60);
    const { acceptedPredictionTokens } = outcome;
    expect(60 - acceptedPredictionTokens!).toBe(outcome.tokenEventCount);
  });

  test("sees what the prefix cache had, in usage, timings and metrics", async () => {
    const { url } = await serveEngine();
    const content = Array.from({ length: 100 }, (_, i) => `word ${i}`).join(" ");
    const body = { messages: [{ role: "user", content }], max_tokens: 2, timings_per_token: true };
    const first = await streamRequest(parseTarget(url), body);
    const second = await streamRequest(parseTarget(url), body);
    expect(first.cachedPromptTokens).toBe(0);
    const most = Math.floor((second.promptTokens! - 1) / 16) * 16;
    expect(second.cachedPromptTokens).toBe(most);
    expect(second.serverTimings).toMatchObject({
      cachedPromptTokens: most,
      promptTokens: second.promptTokens! - most,
      predictedTokens: 2,
    });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(new RegExp(`^vllm:prefix_cache_hits_total\\{.*\\} ${most}$`, "m"));
  });

  test("timings leave out the time that a request waited for others", async () => {
    const { url } = await serveEngine({ set: { maxRunning: 1, stepBaseMs: 10 } });
    const target = parseTarget(url);
    const body = { messages, max_tokens: 20, ignore_eos: true, timings_per_token: true };
    const connections = new Connections();
    const outcomes = await Promise.all(
      [0, 1, 2].map(() => streamRequest(target, body, { connections })),
    );
    connections.close();
    // Steps of 10 ms with few prompt tokens: the last one waited for about 40 of them.
    const replies = await new EngineTruth(url).replies();
    expect(
      Math.max(...replies.map(({ dueMs, arrivedMs }) => dueMs[0]! - arrivedMs)),
    ).toBeGreaterThan(200);
    for (const { serverTimings } of outcomes) expect(serverTimings!.promptMs).toBeLessThan(50);
  });

  test("replies end by themselves too, at lengths that the seed decides", async () => {
    const { url } = await serveEngine({ set: { naturalReplyTokens: 12, stepBaseMs: 1 } });
    const lengthOf = async (fields: object): Promise<unknown[]> => {
      const outcome = await streamRequest(parseTarget(url), { messages, ...fields });
      return [outcome.completionTokens, outcome.finishReason];
    };
    const natural = await lengthOf({ seed: 11 });
    expect(natural[1]).toBe("stop");
    expect(await lengthOf({ seed: 11 })).toEqual(natural);
    expect(await lengthOf({ seed: 11, min_tokens: 80 })).toEqual([80, "stop"]);
    expect(await lengthOf({ seed: 11, max_tokens: 2 })).toEqual([2, "length"]);
    expect(await lengthOf({ seed: 11, max_tokens: 90, ignore_eos: true })).toEqual([90, "length"]);
    const others = await Promise.all([1, 2, 3, 4].map((seed) => lengthOf({ seed })));
    expect(new Set([natural, ...others].map(String)).size).toBeGreaterThan(2);
  });

  test("energy of a run is in the metrics and in the truth, the same one", async () => {
    const { url } = await serveEngine();
    const truth = new EngineTruth(url);
    const counterJ = async (): Promise<number> => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return Number(/^sim_gpu_energy_joules_total\{.*\} (\S+)$/m.exec(text)![1]);
    };
    const aroundMs = [nowMs()];
    const startJ = await counterJ();
    aroundMs.push(nowMs());
    await streamRequest(parseTarget(url), { messages, max_tokens: 40, ignore_eos: true });
    aroundMs.push(nowMs());
    const spentJ = (await counterJ()) - startJ;
    aroundMs.push(nowMs());
    const [leastStart, mostStart, leastEnd, mostEnd] = aroundMs as [number, number, number, number];
    const inner = await truth.energy(mostStart, leastEnd);
    const outer = await truth.energy(leastStart, mostEnd);
    expect(spentJ).toBeGreaterThanOrEqual(inner.servingJ - 1e-9);
    expect(spentJ).toBeLessThanOrEqual(outer.servingJ + 1e-9);
  });
});
