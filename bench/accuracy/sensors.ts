import type { PowerSample } from "../../src/energy/power-sample.ts";
import type { Sensor } from "../../src/energy/sensor.ts";
import { energyJ, meanPowerW } from "../../src/engine/nvidia-smi/step-power.ts";
import type { Random } from "../../src/stats/seeded-random.ts";
import { uniform, type Workload } from "./workload.ts";

/** How a simulated device is read: a sensor and, in the same lines, perhaps another one. */
export interface SensorKind {
  readonly name: string;
  readonly sensor: Sensor;
  readonly second?: Sensor;
  /** What its watts are multiples of, and half of the spread of its noise; else 0.01 and 0.05. */
  readonly quantumW?: number;
  readonly noiseW?: number;
}

const AVERAGE: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };
const INSTANT: Sensor = { averagingMs: 100, updateMs: 100, kind: "instant" };

/** The four kinds, one of them without digits too, and the first two together. */
export const SENSORS: readonly SensorKind[] = [
  { name: "average", sensor: AVERAGE },
  { name: "average-whole-w", sensor: AVERAGE, quantumW: 1, noiseW: 0 },
  { name: "instant", sensor: INSTANT },
  // GA100, and the `.instant` of Hopper: a quarter of the time is seen.
  { name: "part-time", sensor: { averagingMs: 25, updateMs: 100, kind: "instant" } },
  { name: "counter", sensor: { averagingMs: 0, updateMs: 100, kind: "counter" } },
  { name: "average+instant", sensor: AVERAGE, second: INSTANT },
];

/** What a device said of a workload. */
export interface Readings {
  readonly kind: SensorKind;
  readonly periodMs: number;
  readonly samples: readonly PowerSample[];
  readonly second?: readonly PowerSample[];
}

const QUANTUM_W = 0.01;
const NOISE_W = 0.05;
const COUNTER_QUANTUM_J = 0.001;

/** Reads a workload from its begin to its end as `nvidia-smi -lms` would: late, and unevenly. */
export function readWorkload(
  workload: Workload,
  kind: SensorKind,
  periodMs: number,
  random: Random,
): Readings {
  const ticks = drawTicks(workload.endMs, periodMs, random);
  const digits = { quantumW: kind.quantumW ?? QUANTUM_W, noiseW: kind.noiseW ?? NOISE_W };
  const read = (sensor: Sensor): PowerSample[] =>
    sensor.kind === "counter"
      ? readCounter(workload, sensor, ticks, random)
      : readMeans(workload, sensor, digits, ticks, random);
  const samples = read(kind.sensor);
  if (kind.second === undefined) return { kind, periodMs, samples };
  const second = read(kind.second);
  const both = samples.map((one, i) => ({ ...one, instantW: second[i]!.powerW }));
  return { kind, periodMs, samples: both, second };
}

interface Tick {
  readonly readMs: number;
  readonly arrivedMs: number;
}

function drawTicks(endMs: number, periodMs: number, random: Random): readonly Tick[] {
  const ticks: Tick[] = [];
  let readMs = uniform(random, 2000, 2000 + periodMs);
  while (readMs < endMs) {
    ticks.push({ readMs, arrivedMs: readMs + uniform(random, 0.3, 2) });
    readMs += periodMs + uniform(random, 5, 50);
  }
  return ticks;
}

/** Renewed evenly, at some phase; read between two renewals, it says the same again. */
function readMeans(
  { curve, endMs }: Workload,
  { averagingMs, updateMs }: Sensor,
  { quantumW, noiseW: halfW }: { readonly quantumW: number; readonly noiseW: number },
  ticks: readonly Tick[],
  random: Random,
): PowerSample[] {
  const phaseMs = uniform(random, 0, updateMs);
  const noiseW = Array.from({ length: Math.ceil(endMs / updateMs) + 1 }, () =>
    uniform(random, -halfW, halfW),
  );
  return ticks.map(({ readMs, arrivedMs }) => {
    const update = Math.floor((readMs - phaseMs) / updateMs);
    const updatedMs = phaseMs + update * updateMs;
    const powerW = meanPowerW(curve, updatedMs - averagingMs, updatedMs) + noiseW[update]!;
    return { atMs: arrivedMs, powerW: rounded(Math.max(0, powerW), quantumW) };
  });
}

/** Renewed once in each update time, 20 to 100 ms into it; its power is the mean between two renewals. */
function readCounter(
  { curve, endMs }: Workload,
  { updateMs }: Sensor,
  ticks: readonly Tick[],
  random: Random,
): PowerSample[] {
  const updates: { readonly atMs: number; readonly counterJ: number; readonly powerW: number }[] =
    [];
  let counterJ = uniform(random, 0, 1e6);
  let lastMs = 0;
  for (let i = 0; i * updateMs < endMs; i++) {
    const atMs = i * updateMs + uniform(random, 20, 100);
    const addedJ = energyJ(curve, lastMs, atMs);
    counterJ += addedJ;
    updates.push({ atMs, counterJ, powerW: addedJ / ((atMs - lastMs) / 1000) });
    lastMs = atMs;
  }
  let shown = 0;
  return ticks.map(({ readMs, arrivedMs }) => {
    while ((updates[shown + 1]?.atMs ?? Number.POSITIVE_INFINITY) <= readMs) shown++;
    const { counterJ: totalJ, powerW } = updates[shown]!;
    return {
      atMs: arrivedMs,
      powerW: rounded(powerW, QUANTUM_W),
      counterJ: rounded(totalJ, COUNTER_QUANTUM_J),
    };
  });
}

function rounded(value: number, quantum: number): number {
  return Math.round(value / quantum) * quantum;
}
