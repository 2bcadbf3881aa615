import { describe, expect, test } from "vitest";
import { EngineCore, type FinishedStep } from "../../../src/engine/core/engine-core.ts";
import { PowerHistory } from "../../../src/engine/power/power-history.ts";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";

const MS = 1e6;
const base = namedProfiles["tiny"]!;
/** Noise, a ramp that outlasts a request, and a limit that stretches steps by what is drawn. */
const profile = {
  ...base,
  stepBaseMs: 13,
  prefillTokensPerS: 2000,
  power: { ...base.power, gpuCount: 2, limitW: 170, noise: 0.05, rampMs: 40, awakeMs: 2000 },
};

/** Requests of few steps, and one with a prefill of more than a second. */
const REQUESTS = [
  { promptTokens: 10, replyTokens: 7 },
  { promptTokens: 40, replyTokens: 3 },
  { promptTokens: 3000, replyTokens: 4 },
  { promptTokens: 5, replyTokens: 1 },
  { promptTokens: 70, replyTokens: 30 },
  { promptTokens: 10, replyTokens: 12 },
];

/** Length in ns and joules by GPU of each request's steps, one request after the other. */
function costs(pausesMs: readonly number[]) {
  const history = new PowerHistory(2);
  const core = new EngineCore(profile, 5, (atNs, { powerW, isCapped }) =>
    history.append(atNs, powerW, isCapped),
  );
  let atNs = 0;
  return REQUESTS.map(({ promptTokens, replyTokens }, id) => {
    atNs += pausesMs[id]! * MS;
    while (core.nextNs !== undefined && core.nextNs <= atNs) core.advance(core.nextNs);
    core.submit({ id, key: id, promptTokens, replyTokens, blockHashes: [] }, atNs);
    const steps: FinishedStep[] = [];
    while (core.counts().running + core.counts().waiting > 0) {
      steps.push(...core.advance(core.nextNs!));
    }
    const [{ startNs }, { endNs }] = [steps[0]!, steps.at(-1)!];
    atNs = endNs;
    const joules = [0, 1].map((gpu) => history.energyJ(gpu, startNs, endNs, endNs));
    return { lengthNs: endNs - startNs, joules };
  });
}

function expectSame(one: readonly number[], other: readonly number[]): void {
  const [these, those] = [costs(one), costs(other)];
  for (const [i, { lengthNs, joules }] of those.entries()) {
    expect(lengthNs).toBe(these[i]!.lengthNs);
    for (const [gpu, energyJ] of joules.entries()) {
      expect(Math.abs(energyJ / these[i]!.joules[gpu]! - 1)).toBeLessThan(1e-9);
    }
  }
}

describe("the same requests, one after the other, cost the same to 1e-9 whatever the pauses", () => {
  test("in none of which the GPUs fall asleep", () => {
    expectSame([5, 0, 0, 0, 0, 0], [5, 90, 1, 700, 1990, 33.3]);
    expectSame([5, 90, 1, 700, 1990, 33.3], [3000, 1, 450, 90, 260, 1200]);
  });

  test("in all of which they do", () => {
    expectSame([5, 2100, 2100, 2100, 2100, 2100], [7, 9000, 2500, 2003.7, 60_000, 3000]);
  });

  test("and it is the pauses that matter, where they sleep in some", () => {
    const [awake, asleep] = [costs([5, 0, 0, 0, 0, 0]), costs([5, 0, 0, 0, 0, 3000])];
    expect(asleep[4]).toEqual(awake[4]);
    expect(asleep[5]).not.toEqual(awake[5]);
  });
});
