import { describe, expect, test } from "vitest";
import type { EngineProfile } from "../../../src/engine/profiles/engine-profile.ts";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";
import { Scheduler } from "../../../src/engine/schedule/scheduler.ts";

/**
 * Joules per output token of the ML.ENERGY leaderboard v3 (https://ml.energy/leaderboard): vLLM,
 * chat, BF16, by batch size.
 */
const publishedJPerToken: Record<string, readonly (readonly [number, number])[]> = {
  "8b-h100": [
    [8, 0.455],
    [16, 0.263],
    [32, 0.165],
    [64, 0.119],
    [128, 0.0951],
    [256, 0.0766],
    [512, 0.0702],
  ],
  "70b-4xh100": [
    [16, 2.091],
    [32, 1.207],
    [128, 0.563],
    [256, 0.479],
    [1024, 0.373],
  ],
};

/** Mean power at the least and the greatest batch, from the same table. */
const publishedW: Record<string, readonly [number, number]> = {
  "8b-h100": [486, 690],
  "70b-4xh100": [1790, 2550],
};

function decodePowerW({ power }: EngineProfile, batch: number): number {
  return power.gpuCount * (power.decodeW + power.decodePerDoublingW * Math.log2(batch));
}

/** Length of a step that decodes `batch` sequences and prefills none. */
function decodeStepMs(profile: EngineProfile, batch: number): number {
  const scheduler = new Scheduler(profile);
  for (let id = 0; id < batch; id++) {
    scheduler.add({ id, key: id, promptTokens: 4, blockHashes: [], replyTokens: 10 });
  }
  scheduler.begin();
  scheduler.finish();
  const step = scheduler.begin()!;
  expect(step).toMatchObject({ decoding: batch, prefillTokens: 0 });
  return step.durationMs;
}

describe("a profile with published figures", () => {
  const figures = Object.entries(publishedJPerToken).flatMap(([name, values]) =>
    values.map(([batch, jPerToken]) => ({ name, batch, jPerToken })),
  );

  test.each(figures)("$name costs $jPerToken J/token at batch $batch, within 10 %", (figure) => {
    const profile = namedProfiles[figure.name]!;
    const stepS = decodeStepMs(profile, figure.batch) / 1000;
    const jPerToken = (decodePowerW(profile, figure.batch) * stepS) / figure.batch;
    expect(Math.abs(jPerToken / figure.jPerToken - 1)).toBeLessThan(0.1);
  });

  test.each(Object.keys(publishedW))("%s draws what was published, within 2 %%", (name) => {
    const batches = publishedJPerToken[name]!.map(([batch]) => batch);
    const [leastW, mostW] = publishedW[name]!;
    const profile = namedProfiles[name]!;
    expect(Math.abs(decodePowerW(profile, batches[0]!) / leastW - 1)).toBeLessThan(0.02);
    expect(Math.abs(decodePowerW(profile, batches.at(-1)!) / mostW - 1)).toBeLessThan(0.02);
  });
});

describe.each(Object.entries(namedProfiles))("the profile %s", (_, profile) => {
  const { power } = profile;

  test("says in the GPU's name that it is simulated", () => {
    expect(power.gpuName).toMatch(/^SIMULATED /);
  });

  test("has room for the longest context, and a step for all that run", () => {
    expect(profile.kvTokens).toBeGreaterThanOrEqual(profile.contextTokens);
    expect(profile.stepTokens).toBeGreaterThanOrEqual(profile.maxRunning);
  });

  test("draws more the more it does, and stays below its limit when the batch is full", () => {
    expect(power.idleW).toBeLessThan(power.awakeW);
    expect(power.awakeW).toBeLessThan(power.decodeW);
    expect(power.prefillW).toBeLessThanOrEqual(power.limitW);
    const fullW = decodePowerW(profile, profile.maxRunning) / power.gpuCount;
    expect(fullW).toBeLessThanOrEqual(power.limitW);
  });
});

test("profiles without published figures say that they are made up", () => {
  for (const [name, { summary }] of Object.entries(namedProfiles)) {
    expect(summary.includes("made up")).toBe(!(name in publishedJPerToken));
  }
});
