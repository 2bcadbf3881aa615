import { writeFileSync } from "node:fs";
import { fitPower } from "../src/energy/estimate/power-fit.ts";
import { sensorRows } from "../src/energy/estimate/sensor-rows.ts";
import { estimate } from "../src/energy/estimate.ts";
import { integrate } from "../src/energy/integrate.ts";
import type { PowerSample } from "../src/energy/power-sample.ts";
import type { Sensor } from "../src/energy/sensor.ts";
import { type RecordedTrace, recordedTraces } from "./accuracy/recorded-traces.ts";

/** Draws docs/estimate.svg: a recording of a real card, what the plain integral counts, and the fit. */

const RECORDING = "nvidia-smi-rtx3090-driver535-step-250ms.csv";
/** The load as its makers noted it, in ms since 1970. */
const LOAD_MS = [1_688_840_857_595.627, 1_688_840_863_524.417] as const;
const SENSOR: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };

const WIDTH = 760;
const HEIGHT = 330;
const LEFT = 48;
const RIGHT = 745;
const TOP = 58;
const BOTTOM = 290;
const MOST_W = 460;

const trace = recording();
const [startMs, endMs] = [LOAD_MS[0] - trace.firstEpochMs, LOAD_MS[1] - trace.firstEpochMs];
const fromMs = startMs - 1200;
const untilMs = endMs + 3600;

const fit = fitPower(sensorRows(trace.average, SENSOR), {
  startMs: -1200,
  endMs: 15_900,
  binMs: 50,
  rounds: 12,
});
const estimated = estimate(trace.average, startMs, endMs, SENSOR)!;
const plain = integrate(trace.average, startMs, endMs)!;
writeFileSync("docs/estimate.svg", `${picture()}\n`);
console.log("written: docs/estimate.svg");

function recording(): RecordedTrace {
  const found = recordedTraces("test/cases/power").find(({ file }) => file === RECORDING);
  if (found === undefined || !("average" in found)) throw new Error(`${RECORDING} is not there`);
  return found;
}

function picture(): string {
  const axis = [0, 100, 200, 300, 400].map(
    (watts) =>
      `<line x1="${LEFT}" x2="${RIGHT}" y1="${y(watts)}" y2="${y(watts)}" stroke="#8884"/><text x="${LEFT - 6}" y="${y(watts) + 4}" text-anchor="end">${watts}</text>`,
  );
  const seconds = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9].map(
    (second) =>
      `<text x="${x(startMs + second * 1000)}" y="${BOTTOM + 16}" text-anchor="middle">${second}</text>`,
  );
  const interval = `${estimated.loJ.toFixed(0)}–${estimated.hiJ.toFixed(0)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#57606a">`,
    `<title>A second of averaging hides the edges of a load; the fit gives them back</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<rect x="${x(startMs)}" y="${TOP}" width="${x(endMs) - x(startMs)}" height="${BOTTOM - TOP}" fill="#54aeff22"/>`,
    `<text x="${(x(startMs) + x(endMs)) / 2}" y="${TOP + 14}" text-anchor="middle">the window</text>`,
    ...axis,
    ...seconds,
    `<text x="${LEFT - 6}" y="${TOP - 8}" text-anchor="end">W</text>`,
    `<text x="${RIGHT}" y="${BOTTOM + 32}" text-anchor="end">seconds from the start of the load</text>`,
    `<path d="${fitPath()}" fill="none" stroke="#0969da" stroke-width="2"/>`,
    `<path d="${heldPath(trace.average)}" fill="none" stroke="#cf222e" stroke-width="1.5"/>`,
    ...dots(trace.average, "#cf222e", 2.6),
    ...dots(trace.instant, "#1a7f37", 1.8),
    key(18, "#cf222e", `power.draw.average, each held to the next: ${plain.energyJ.toFixed(0)} J`),
    key(34, "#0969da", `the fit of them alone: ${estimated.energyJ.toFixed(0)} J (${interval})`),
    key(50, "#1a7f37", "power.draw.instant, which the fit did not see: about 2440 J went in"),
    "</svg>",
  ].join("\n");
}

function key(atY: number, colour: string, text: string): string {
  return `<circle cx="${LEFT + 6}" cy="${atY - 4}" r="4" fill="${colour}"/><text x="${LEFT + 16}" y="${atY}">${text}</text>`;
}

function fitPath(): string {
  const points: string[] = [];
  for (let atMs = fromMs; atMs <= untilMs; atMs += 50)
    points.push(`${x(atMs)},${y(fit.powerAtW(atMs))}`);
  return `M${points.join("L")}`;
}

function heldPath(samples: readonly PowerSample[]): string {
  const shown = samples.filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs);
  return shown
    .map(({ atMs, powerW }, i) =>
      i === 0 ? `M${x(atMs)},${y(powerW)}` : `H${x(atMs)}V${y(powerW)}`,
    )
    .join("");
}

function dots(samples: readonly PowerSample[], colour: string, radius: number): readonly string[] {
  return samples
    .filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
    .map(
      ({ atMs, powerW }) =>
        `<circle cx="${x(atMs)}" cy="${y(powerW)}" r="${radius}" fill="${colour}"/>`,
    );
}

function x(atMs: number): number {
  return round(LEFT + ((atMs - fromMs) / (untilMs - fromMs)) * (RIGHT - LEFT));
}

function y(powerW: number): number {
  return round(BOTTOM - (powerW / MOST_W) * (BOTTOM - TOP));
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
