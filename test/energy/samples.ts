import type { PowerSample } from "../../src/energy/power-sample.ts";

/** Readings of one device from pairs of time (ms) and power (W). */
export function readings(
  ...pairs: readonly (readonly [atMs: number, powerW: number])[]
): PowerSample[] {
  return pairs.map(([atMs, powerW]) => ({ atMs, powerW }));
}

/** Readings every `stepMs` from `fromMs` to `toMs`, with the power that the function gives. */
export function every(
  stepMs: number,
  fromMs: number,
  toMs: number,
  powerW: (atMs: number) => number,
): PowerSample[] {
  const found: PowerSample[] = [];
  for (let atMs = fromMs; atMs <= toMs; atMs += stepMs) found.push({ atMs, powerW: powerW(atMs) });
  return found;
}
