import { type Engine, startEngine } from "../../src/engine/start-engine.ts";

/** Tokens in each reply. */
export const OUTPUT_TOKENS = 64;
export const PROMPT_TOKENS = 128;

const WARM_UP_REQUESTS = 64;

/** Above it the engine's steps are longer: at 50,000 events/s it would itself be what is late. */
const MANY_IN_FLIGHT = 256;

/** Time of a decode step, and so the true TPOT, where the machine does not disturb it. */
function stepMsAt(concurrency: number): number {
  return concurrency > MANY_IN_FLIGHT ? 50 : 20;
}

/**
 * The engine that all peers load: steps of one length however many sequences there are, no queue,
 * and prompts that take no time. It has served some requests, so that its code is compiled.
 */
export async function startPeerEngine(concurrency: number): Promise<Engine> {
  const engine = await startEngine({
    profile: "tiny",
    truth: true,
    set: {
      stepBaseMs: stepMsAt(concurrency),
      stepPerSequenceMs: 0,
      stepPerKiloContextMs: 0,
      gatherMs: 0,
      maxRunning: 2000,
      stepTokens: 10_000_000,
      kvTokens: 10_000_000,
      prefillTokensPerS: 1e9,
      hasPrefixCache: false,
    },
  });
  const body = JSON.stringify({
    messages: [{ role: "user", content: "warm up" }],
    stream: true,
    max_tokens: OUTPUT_TOKENS,
    ignore_eos: true,
  });
  const warmUps = Array.from({ length: WARM_UP_REQUESTS }, async () => {
    const init = { method: "POST", body };
    await (await fetch(`${engine.url}/v1/chat/completions`, init)).text();
  });
  await Promise.all(warmUps);
  return engine;
}

/** As `/v1/models` lists it. */
export const ENGINE_MODEL = "sim-tiny";
