import { RailSampler } from "../src/rails/sampler.ts";
import type { RailFacts } from "../src/rails/source.ts";

/** What the program holds after so many readings, garbage collected. */
export interface MemoryPoint {
  readonly readings: number;
  readonly hours: number;
  readonly usedMb: number;
}

const GPUS = 8;
const TICKS = 125_000;
const PERIOD_MS = 250;

/** Feeds a million readings to a sampler on a virtual clock; windows are asked for on the way. */
export function memoryOfManySamples(): readonly MemoryPoint[] {
  const devices = Array.from({ length: GPUS }, (_, index) => ({ id: `GPU-${index}`, index }));
  const facts: RailFacts = {
    source: "none",
    head: "sim_rail",
    devices,
    sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
    sensorBasis: "",
    periodMs: PERIOD_MS,
    fields: [],
    covers: "",
    excludes: "",
    warnings: [],
    silentDevices: [],
  };
  const noFeed = {
    drain: () => undefined,
    stop: () => Promise.resolve({ wallS: 0, samples: 0, rejectedLines: 0 }),
  };
  const sampler = new RailSampler(facts, noFeed);
  const points: MemoryPoint[] = [];
  for (let tick = 0; tick <= TICKS; tick++) {
    if (tick % (TICKS / 10) === 0) points.push(pointAt(tick));
    const atMs = tick * PERIOD_MS;
    const samples = devices.map(({ id }) => ({ atMs, powerW: 300 + (tick % 97) / 10, device: id }));
    sampler.accept({ kind: "read", atMs, samples, rejected: [] });
    if (tick % 1000 === 999) sampler.windowNow(atMs - 60_000, atMs);
  }
  return points;
}

function pointAt(tick: number): MemoryPoint {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return {
    readings: tick * GPUS,
    hours: (tick * PERIOD_MS) / 3_600_000,
    usedMb: (heapUsed + arrayBuffers) / 1e6,
  };
}
