import type { LoadTimes } from "../../../src/energy/measure-averaging.ts";
import type { PowerCurve, PowerStep } from "../../../src/engine/nvidia-smi/step-power.ts";

export interface LoadCurve extends LoadTimes {
  readonly curve: PowerCurve;
}

const IDLE_W = 90;

/** One step up and one down. */
export function stepLoad(random: () => number): LoadCurve {
  const { startMs, endMs } = times(random);
  return { startMs, endMs, curve: curveOf([startMs, 300 + 300 * random()], [endMs, IDLE_W]) };
}

/** A step with a burst before it, as prompts make one. */
export function burstLoad(random: () => number): LoadCurve {
  const { startMs, endMs } = times(random);
  const levelW = 250 + 150 * random();
  const burstEndMs = startMs + 100 + 900 * random();
  const burst: Step = [startMs, levelW * (1.3 + random())];
  return { startMs, endMs, curve: curveOf(burst, [burstEndMs, levelW], [endMs, IDLE_W]) };
}

/** Rises and falls over seconds; when it has fallen, the load has ended. */
export function rampLoad(random: () => number): LoadCurve {
  const { startMs, endMs } = times(random);
  const levelW = 300 + 300 * random();
  const rampMs = 500 + 2500 * random();
  const steps: Step[] = [];
  for (let i = 1; i <= 50; i++) {
    const shareW = ((levelW - IDLE_W) * i) / 50;
    steps.push([startMs + (rampMs * i) / 50, IDLE_W + shareW]);
    steps.push([endMs - rampMs + (rampMs * i) / 50, levelW - shareW]);
  }
  return { startMs, endMs, curve: curveOf(...steps) };
}

/** Bursts shorter and longer than a second, with pauses between. */
export function burstsLoad(random: () => number): LoadCurve {
  const { startMs, endMs } = times(random);
  const steps: Step[] = [];
  for (let atMs = startMs; atMs < endMs; ) {
    const onMs = 200 + 1500 * random();
    steps.push([atMs, 350 + 250 * random()], [Math.min(endMs, atMs + onMs), IDLE_W + 60]);
    atMs += onMs + 200 + 1000 * random();
  }
  return { startMs, endMs, curve: curveOf(...steps, [endMs, IDLE_W]) };
}

/** Clocks stay up after the load, and requests end one after the other. */
export function lateLoad(random: () => number): LoadCurve {
  const { startMs, endMs } = times(random);
  const levelW = 350 + 200 * random();
  const tail: Step[] = [1, 2, 3].map((i) => [endMs - 800 + 200 * i, levelW - i * 20]);
  return {
    startMs,
    endMs,
    curve: curveOf([startMs, levelW], ...tail, [endMs + 20, IDLE_W + 22], [endMs + 1800, IDLE_W]),
  };
}

type Step = readonly [atMs: number, powerW: number];

function curveOf(...steps: readonly Step[]): PowerCurve {
  const inOrder = steps.toSorted(([a], [b]) => a - b);
  return {
    beforeW: IDLE_W,
    steps: inOrder.map(([atMs, powerW]): PowerStep => ({ atMs, powerW })),
  };
}

function times(random: () => number): LoadTimes {
  const startMs = 5000 + 1000 * random();
  return { startMs, endMs: startMs + 3000 + 6000 * random() };
}
