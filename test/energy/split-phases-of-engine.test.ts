import { describe, expect, test } from "vitest";
import { type PhaseCell, type PhaseFigure, splitPhases } from "../../src/energy/split-phases.ts";
import { EngineCore } from "../../src/engine/core/engine-core.ts";
import { noiseAt } from "../../src/engine/nvidia-smi/seeded-random.ts";
import { PowerHistory } from "../../src/engine/power/power-history.ts";
import type { EngineProfile } from "../../src/engine/profiles/engine-profile.ts";
import { namedProfiles } from "../../src/engine/profiles/named-profiles.ts";

const MS = 1e6;
const ROUNDS = 6;
const SEED = 7;

/** A whole window of an engine on paper: as many requests in flight as its concurrency, to the end. */
function windowOf(
  profile: EngineProfile,
  concurrency: number,
  lengths: PhaseCell["lengths"],
): PhaseCell {
  const history = new PowerHistory(1);
  const core = new EngineCore(profile, SEED, (atNs, { powerW, isCapped }) =>
    history.append(atNs, powerW, isCapped),
  );
  const requests = ROUNDS * concurrency;
  const startNs = 20 * MS;
  let sent = 0;
  const send = (atNs: number): void => {
    const { input: promptTokens, output: replyTokens } = lengths;
    core.submit({ id: sent, key: sent, promptTokens, blockHashes: [], replyTokens }, atNs);
    sent++;
  };
  core.advance(startNs);
  while (sent < concurrency) send(startNs);
  let [ended, endNs] = [0, startNs];
  while (ended < requests) {
    for (const step of core.advance(core.nextNs!)) {
      for (const { isLast } of step.progress) {
        if (!isLast) continue;
        ended++;
        endNs = step.endNs;
        if (sent < requests) send(step.endNs);
      }
    }
  }
  return {
    lengths,
    inputTokens: requests * lengths.input,
    outputTokens: requests * lengths.output,
    energyJ: history.energyJ(0, startNs, endNs, endNs),
  };
}

/** What the engine's own model says that each further token takes, steps being full. */
function truthOf({ power, ...profile }: EngineProfile, concurrency: number) {
  const decodeW = power.decodeW + power.decodePerDoublingW * Math.log2(concurrency);
  // The one card's, as its seed has it.
  const gain = 1 + 0.02 * noiseAt(SEED, 0);
  const stepS = (profile.stepBaseMs + profile.stepPerSequenceMs * concurrency) / 1000;
  return {
    prefill: (gain * power.prefillW) / profile.prefillTokensPerS,
    decode: (gain * decodeW * stepS) / concurrency,
  };
}

const told = (figure: object): PhaseFigure => {
  expect(figure).toHaveProperty("joulesPerToken");
  return figure as PhaseFigure;
};

const LENGTHS = [256, 1024, 4096].flatMap((input) =>
  [64, 256].map((output) => ({ input, output })),
);

describe.each(["8b-h100", "tiny"])("the engine %s, whose model is known", (name) => {
  const profile = namedProfiles[name]!;

  test.each([1, 4, 16])("gives back what its tokens take, at %i at once", (concurrency) => {
    const cells = LENGTHS.map((lengths) => windowOf(profile, concurrency, lengths));
    const truth = truthOf(profile, concurrency);
    const { prefill, decode } = splitPhases(cells);
    // The share of the truth: what is off is the work that no token has, such as the rise of the
    // clocks and the base time of a step that only prefills.
    expect(Math.abs(told(prefill).joulesPerToken / truth.prefill - 1)).toBeLessThan(0.08);
    expect(Math.abs(told(decode).joulesPerToken / truth.decode - 1)).toBeLessThan(0.02);
    expect(told(decode).lo).toBeLessThan(truth.decode);
    expect(told(decode).hi).toBeGreaterThan(truth.decode);
  });
});
