import { describe, expect, test } from "vitest";
import type { GpuWork } from "../../../src/engine/power/gpu-work.ts";
import { PowerHistory } from "../../../src/engine/power/power-history.ts";
import { PowerModel } from "../../../src/engine/power/power-model.ts";
import type { PowerProfile } from "../../../src/engine/profiles/engine-profile.ts";
import { powerProfile } from "./power-profile.ts";

const S = 1e9;
const MS = 1e6;
const IDLE: GpuWork = { kind: "idle" };
const step = (decoding: number, prefillShare = 0): GpuWork => ({
  kind: "step",
  decoding,
  prefillShare,
});

/** By how much the first GPU of a seed differs from the profile. */
const GAIN = new PowerModel(powerProfile(), 1).begin(IDLE, 0).powerW[0]! / 100;

/** A model whose watts are told as the profile's, its gain taken out. */
function modelOf(more: Partial<PowerProfile> = {}) {
  const model = new PowerModel(powerProfile(more), 1);
  const watts = (work: GpuWork, atNs: number) => model.begin(work, atNs).powerW[0]! / GAIN;
  return { model, watts };
}

/** Runs work until a time, cut wherever the power changes by itself. */
function run(
  model: PowerModel,
  history: PowerHistory,
  work: GpuWork,
  fromNs: number,
  toNs: number,
) {
  for (let atNs = fromNs; atNs < toNs; ) {
    const { powerW, isCapped } = model.begin(work, atNs);
    history.append(atNs, powerW, isCapped);
    atNs = Math.min(toNs, model.nextChangeNs(atNs) ?? toNs);
  }
}

describe("the power of a step", () => {
  test.each([
    { what: "one sequence", work: step(1), powerW: 300 },
    { what: "eight sequences, three doublings", work: step(8), powerW: 390 },
    { what: "prefill alone", work: step(0, 1), powerW: 600 },
    { what: "a quarter of prefill beside four sequences", work: step(4, 0.25), powerW: 420 },
  ])("of $what is $powerW W", ({ work, powerW }) => {
    expect(modelOf().watts(work, 0)).toBeCloseTo(powerW, 9);
  });

  test("differs by GPU by two per cent at most, always by the same", () => {
    const of = (seed: number) =>
      new PowerModel(powerProfile({ gpuCount: 8 }), seed).begin(step(1), 0).powerW;
    expect(of(7)).toEqual(of(7));
    expect(of(7)).not.toEqual(of(8));
    expect(new Set(of(7)).size).toBe(8);
    for (const powerW of of(7)) expect(Math.abs(powerW / 300 - 1)).toBeLessThanOrEqual(0.02);
  });

  test("never goes back in time", () => {
    const { model } = modelOf();
    model.begin(IDLE, 5);
    expect(() => model.begin(IDLE, 4)).toThrow(RangeError);
  });
});

describe("after the last step", () => {
  test("the GPUs stay awake for a while, and the model says when they fall asleep", () => {
    const { model, watts } = modelOf();
    expect(watts(IDLE, 0)).toBeCloseTo(100, 9);
    expect(model.nextChangeNs(0)).toBeUndefined();
    watts(step(1), 1 * S);
    expect(watts(IDLE, 2 * S)).toBeCloseTo(150, 9);
    expect(model.nextChangeNs(2 * S)).toBe(4 * S);
    expect(watts(IDLE, 4 * S - 1)).toBeCloseTo(150, 9);
    expect(watts(IDLE, 4 * S)).toBeCloseTo(100, 9);
    expect(model.nextChangeNs(4 * S)).toBeUndefined();
  });

  test("joules are those of pencil and paper", () => {
    const { model } = modelOf();
    const history = new PowerHistory(1);
    run(model, history, IDLE, 0, 1 * S);
    run(model, history, step(8), 1 * S, 3 * S);
    run(model, history, IDLE, 3 * S, 10 * S);
    // 1 s idle, 2 s of eight sequences, 2 s awake, 5 s idle.
    const energyJ = history.energyJ(0, 0, 10 * S, 10 * S);
    expect(energyJ / GAIN).toBeCloseTo(100 + 2 * 390 + 2 * 150 + 5 * 100, 9);
  });
});

describe("the ramp", () => {
  const { rampMs } = { rampMs: 100 };

  test("takes what an exponential takes, within half a thousandth", () => {
    const { model } = modelOf({ rampMs });
    const history = new PowerHistory(1);
    run(model, history, step(1), 0, 2 * S);
    // 300 W less (300 - 100) W · 100 ms, the area above an exponential.
    expect(history.energyJ(0, 0, 2 * S, 2 * S) / GAIN / 580).toBeCloseTo(1, 3);
    expect(model.nextChangeNs(2 * S)).toBeUndefined();
    expect(model.begin(step(1), 2 * S).powerW[0]! / GAIN).toBeCloseTo(300, 9);
  });

  test("goes on over short steps, and begins again only after sleep", () => {
    const { watts } = modelOf({ rampMs });
    const rising = [0, 40, 80, 120, 160].map((atMs) => watts(step(1), atMs * MS));
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    expect(new Set(rising).size).toBe(5);
    expect(watts(IDLE, 1 * S)).toBeCloseTo(150, 9);
    expect(watts(step(1), 2 * S)).toBeCloseTo(300, 9);
    watts(IDLE, 3 * S);
    expect(watts(step(1), 6 * S)).toBeLessThan(150);
  });
});

describe("the limit", () => {
  test("holds the power down and stretches the work by the cube root", () => {
    const model = new PowerModel(powerProfile({ limitW: 75 * GAIN }), 1);
    const { powerW, isCapped, stretch } = model.begin(step(0, 1), 0);
    expect(powerW).toEqual([75 * GAIN]);
    expect(isCapped).toBe(true);
    // 600 W asked of 75 W: a factor of 8.
    expect(stretch).toBeCloseTo(2, 9);
  });

  test("stretches nothing while it is not reached", () => {
    const { stretch, isCapped } = modelOf({ limitW: 620 }).model.begin(step(0, 1), 0);
    expect([stretch, isCapped]).toEqual([1, false]);
  });

  test("of several GPUs the hungriest decides", () => {
    const free = new PowerModel(powerProfile({ gpuCount: 4 }), 3).begin(step(1), 0).powerW;
    const limitW = (Math.max(...free) + Math.min(...free)) / 2;
    const held = new PowerModel(powerProfile({ gpuCount: 4, limitW }), 3).begin(step(1), 0);
    expect(held.powerW).toEqual(free.map((powerW) => Math.min(powerW, limitW)));
    expect(held.stretch).toBeCloseTo(Math.cbrt(Math.max(...free) / limitW), 12);
    expect(held.isCapped).toBe(true);
  });
});

describe("noise", () => {
  const noisy = { noise: 0.1, gpuCount: 2 };

  test("stays for 100 ms, inside its half-width, and leaves sleeping GPUs alone", () => {
    const model = new PowerModel(powerProfile(noisy), 1);
    const quiet = new PowerModel(powerProfile({ gpuCount: 2 }), 1).begin(step(1), 0).powerW;
    expect(model.begin(IDLE, 0).powerW[0]).toBeCloseTo(100 * GAIN, 9);
    const drawn = Array.from({ length: 400 }, (_, i) => model.begin(step(1), i * 50 * MS).powerW);
    const shares = drawn.map((powerW) => powerW.map((watts, gpu) => watts / quiet[gpu]! - 1));
    expect(Math.max(...shares.flat().map(Math.abs))).toBeLessThanOrEqual(0.1 + 1e-12);
    expect(Math.max(...shares.flat())).toBeGreaterThan(0.08);
    expect(Math.min(...shares.flat())).toBeLessThan(-0.08);
    expect(drawn[2]).toEqual(drawn[3]);
    expect(drawn[3]).not.toEqual(drawn[4]);
    expect(shares[2]![0]).not.toBeCloseTo(shares[2]![1]!, 6);
  });

  test("is that of the schedule: the same segments cost the same, whoever asks what else", () => {
    const joules = (isAsking: boolean) => {
      const model = new PowerModel(powerProfile({ ...noisy, thermalDrift: 0.05 }), 5);
      const history = new PowerHistory(2);
      for (let i = 0; i < 500; i++) {
        const { powerW, isCapped } = model.begin(i % 7 === 0 ? IDLE : step(i % 5), i * 23 * MS);
        if (isAsking) model.nextChangeNs(i * 23 * MS + 1);
        history.append(i * 23 * MS, powerW, isCapped);
      }
      return [0, 1].map((gpu) => history.energyJ(gpu, 0, 499 * 23 * MS));
    };
    expect(joules(true)).toEqual(joules(false));
  });
});

describe("pauses without sleep", () => {
  const noisy = { noise: 0.1, rampMs: 80, gpuCount: 2 };

  /** Watts of steps of 30 ms, and of one of 2 s that is cut wherever the power changes. */
  function wattsOf(pausesMs: readonly number[]): unknown[] {
    const model = new PowerModel(powerProfile(noisy), 3);
    const drawn: unknown[] = [];
    let atNs = 0;
    for (const [i, pauseMs] of pausesMs.entries()) {
      const work = step(1 + i);
      const endNs = atNs + (i === 2 ? 2000 : 30) * MS;
      while (atNs < endNs) {
        drawn.push(model.begin(work, atNs).powerW);
        atNs = Math.min(endNs, model.nextChangeNs(atNs) ?? endNs);
      }
      if (pauseMs > 0) model.begin(IDLE, atNs);
      atNs += pauseMs * MS;
    }
    return drawn;
  }

  test("change neither the noise nor the ramp of the steps between them", () => {
    const none = wattsOf(Array.from({ length: 20 }, () => 0));
    expect(none.length).toBeGreaterThan(24);
    expect(wattsOf(Array.from({ length: 20 }, (_, i) => (i * 97) % 1999))).toEqual(none);
  });

  test("and a step that was long has the next one draw anew, itself it draws once", () => {
    const model = new PowerModel(powerProfile({ noise: 0.1 }), 3);
    const long = step(1);
    const watts = [0, 100, 900].map((atMs) => model.begin(long, atMs * MS).powerW[0]);
    expect(new Set(watts).size).toBe(1);
    expect(model.begin(step(1), 1 * S).powerW[0]).not.toBe(watts[0]);
    model.begin(IDLE, 1.05 * S);
    expect(model.begin(step(1), 2 * S).powerW[0]).toBe(model.begin(step(1), 2 * S).powerW[0]);
  });
});

describe("warming", () => {
  const warm = { thermalDrift: 0.1, thermalS: 10, limitW: 500, idleW: 100 };

  test("follows the load with its time constant", () => {
    const { watts } = modelOf(warm);
    expect(watts(step(1), 0)).toBeCloseTo(300, 9);
    // Half of the way from idle to the limit, and a tenth of drift at the limit.
    expect(watts(step(1), 10 * S)).toBeCloseTo(300 * (1 + 0.05 * (1 - Math.exp(-1))), 9);
    expect(watts(step(1), 1000 * S)).toBeCloseTo(300 * 1.05, 9);
  });

  test("an idle GPU cools second by second, until its power stays", () => {
    const { model, watts } = modelOf(warm);
    watts(step(1), 0);
    watts(IDLE, 100 * S);
    const cooling: number[] = [];
    for (let atNs: number | undefined = 100 * S; atNs !== undefined; ) {
      cooling.push(watts(IDLE, atNs));
      atNs = model.nextChangeNs(atNs);
    }
    expect(cooling.length).toBeGreaterThan(40);
    expect(cooling.length).toBeLessThan(90);
    expect(cooling).toEqual(cooling.toSorted((a, b) => b - a));
    expect(cooling.at(-1)).toBeCloseTo(100, 9);
  });
});
