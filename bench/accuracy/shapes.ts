import type { PowerStep } from "../../src/engine/nvidia-smi/step-power.ts";
import type { PowerProfile } from "../../src/engine/profiles/engine-profile.ts";
import { type Random, randomBelow, seededRandom } from "../../src/stats/seeded-random.ts";
import { driveModel, type Phase } from "./drive-model.ts";
import { type Load, pushStep, uniform, type Workload } from "./workload.ts";

/**
 * The shapes of work. All but the saw-tooth are work of the built-in engine's `PowerModel`, with its
 * ramp, noise, waking and warming; power that rises and falls by itself it cannot express, so the
 * saw-tooth is a curve of its own.
 */
export const SHAPES: readonly string[] = [
  "cold-step",
  "burst",
  "saw-tooth",
  "steady",
  "idle-heavy",
  "cap",
];

const LENGTH_MS = 300_000;
/** Quiet at both ends of a workload, in ms. */
const MARGIN_MS = 12_000;
const TOOTH_STEP_MS = 20;

/** Some minutes of loads with quiet between them; the same for the same seed. */
export function makeWorkload(shape: string, seed: number): Workload {
  const random = seededRandom(seed, SHAPES.indexOf(shape) + 1);
  if (shape === "saw-tooth") return sawTooth(random);
  const phasesOf = PHASES[shape];
  if (phasesOf === undefined) throw new Error(`no shape ${shape}; there are ${SHAPES.join(", ")}`);
  const phases: Phase[] = [idle(MARGIN_MS)];
  const loads: Load[] = [];
  let atMs = MARGIN_MS;
  while (atMs < LENGTH_MS - MARGIN_MS) {
    const load = phasesOf(random);
    const quiet = idle(quietAfterMs(shape, random));
    phases.push(...load, quiet);
    const endMs = atMs + lengthOfMs(load);
    loads.push({ startMs: atMs, endMs });
    atMs = endMs + quiet.durationMs;
  }
  phases.push(idle(MARGIN_MS));
  const profile = profileFor(shape, random);
  const steps = driveModel(profile, seed, phases);
  return { shape, curve: { beforeW: profile.idleW, steps }, endMs: atMs + MARGIN_MS, loads };
}

const PHASES: Readonly<Record<string, (random: Random) => Phase[]>> = {
  "cold-step": (random) => [decode(random, uniform(random, 700, 9800))],
  burst: (random) => {
    const lengthMs = restlessMs(random);
    const phases = [decode(random, uniform(random, 200, 1500))];
    while (lengthOfMs(phases) < lengthMs) {
      phases.push(
        idle(uniform(random, 100, 1000)),
        decode(random, uniform(random, 200, Math.min(1500, lengthMs))),
      );
    }
    return phases;
  },
  steady: (random) => [decode(random, uniform(random, 20_000, 60_000))],
  "idle-heavy": (random) => [decode(random, uniform(random, 700, 2500))],
  cap: (random) => {
    const phases: Phase[] = [];
    for (let i = randomBelow(random, 5); i >= 0; i--) {
      const held = { kind: "step", decoding: 256, prefillShare: 0.5 } as const;
      phases.push({ work: held, durationMs: Math.round(uniform(random, 700, 3000)) });
      const dropMs = uniform(random, 100, 600);
      if (i > 0) phases.push(random() < 0.5 ? idle(dropMs) : decode(random, dropMs));
    }
    return phases;
  },
};

/** A fifth are long, so that some windows are far from any quiet. */
function restlessMs(random: Random): number {
  return random() < 0.2 ? uniform(random, 15_000, 40_000) : uniform(random, 700, 9000);
}

function quietAfterMs(shape: string, random: Random): number {
  return shape === "idle-heavy" ? uniform(random, 10_000, 25_000) : uniform(random, 3000, 12_000);
}

function lengthOfMs(phases: readonly Phase[]): number {
  return phases.reduce((sum, { durationMs }) => sum + durationMs, 0);
}

/** In whole ms, as `decode` is: the times of the loads are sums that must be exact. */
function idle(durationMs: number): Phase {
  return { work: { kind: "idle" }, durationMs: Math.round(durationMs) };
}

function decode(random: Random, durationMs: number): Phase {
  const work = {
    kind: "step",
    decoding: 2 ** randomBelow(random, 7),
    prefillShare: uniform(random, 0, 0.3),
  } as const;
  return { work, durationMs: Math.round(durationMs) };
}

/** A card of 400 W; no two workloads have quite the same one. */
function profileFor(shape: string, random: Random): PowerProfile {
  return {
    gpuCount: 1,
    gpuName: "SIMULATED 400 W",
    generation: "ampere",
    idleW: 70,
    awakeW: uniform(random, 100, 150),
    awakeMs: uniform(random, 1900, 2400),
    decodeW: 180,
    decodePerDoublingW: 28,
    prefillW: shape === "cap" ? 480 : 390,
    limitW: 400,
    rampMs: uniform(random, 20, 120),
    noise: shape === "steady" ? 0.008 : 0.02,
    thermalDrift: 0.02,
    thermalS: 60,
  };
}

function sawTooth(random: Random): Workload {
  const steps: PowerStep[] = [{ atMs: 0, powerW: 70 }];
  const awakeW = uniform(random, 100, 150);
  const awakeMs = uniform(random, 1900, 2400);
  const loads: Load[] = [];
  let atMs = MARGIN_MS;
  while (atMs < LENGTH_MS - MARGIN_MS) {
    const endMs = atMs + restlessMs(random);
    pushTeeth(steps, random, atMs, endMs);
    pushStep(steps, endMs, awakeW);
    pushStep(steps, endMs + awakeMs, 70);
    loads.push({ startMs: atMs, endMs });
    atMs = endMs + uniform(random, 3000, 12_000);
  }
  return { shape: "saw-tooth", curve: { beforeW: 70, steps }, endMs: atMs + MARGIN_MS, loads };
}

/** Ramps from a low to a high power and back, each tooth as the first of its load. */
function pushTeeth(steps: PowerStep[], random: Random, startMs: number, endMs: number): void {
  const lowW = uniform(random, 100, 200);
  const highW = uniform(random, 250, 400);
  const toothMs = uniform(random, 500, 4000);
  const riseShare = uniform(random, 0.1, 0.9);
  for (let atMs = startMs; atMs < endMs; atMs += TOOTH_STEP_MS) {
    const phase = ((atMs - startMs) % toothMs) / toothMs;
    const height = phase < riseShare ? phase / riseShare : (1 - phase) / (1 - riseShare);
    pushStep(steps, atMs, lowW + (highW - lowW) * height);
  }
}
