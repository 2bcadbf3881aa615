import { knownText } from "./known-text.ts";
import type { PowerSample } from "./power-sample.ts";

/** A decimal number and nothing else: no sign, no unit, no bracket, no `inf`, no hex. */
const WATTS = /^(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * One line of `nvidia-smi --format=csv,noheader,nounits`, as a reading.
 *
 * @param line - one line without its newline; a trailing CR is fine.
 * @param atMs - when it arrived, in ms on the run's clock.
 * @param columns - how many cells the line must have, or the names that were asked for, in order.
 *   Without it the first three cells are power, cap flag and brake flag, and more may follow.
 * @returns `undefined` unless the watt cell is, as a whole, a finite number ≥ 0: what the source
 *   could not say is never read as 0.
 */
export function parseLine(
  line: string,
  atMs: number,
  columns?: number | readonly string[],
): PowerSample | undefined {
  const cells = line.split(",").map((cell) => cell.trim());
  const expected = typeof columns === "object" ? columns.length : columns;
  if (expected !== undefined && cells.length !== expected) return undefined;

  const places = typeof columns === "object" ? placesOf(columns) : POSITIONAL;
  const powerW = watts(cells[places.power]);
  if (powerW === undefined) return undefined;

  const swPowerCap = flag(cells[places.cap]);
  const hwPowerBrake = flag(cells[places.brake]);
  const device = knownText(cells[places.uuid]) ?? knownText(cells[places.index]);
  const instantW = watts(cells[places.instant]);
  return {
    atMs,
    powerW,
    ...(swPowerCap === undefined ? {} : { swPowerCap }),
    ...(hwPowerBrake === undefined ? {} : { hwPowerBrake }),
    ...(device === undefined ? {} : { device }),
    ...(instantW === undefined ? {} : { instantW }),
  };
}

interface Places {
  readonly power: number;
  readonly cap: number;
  readonly brake: number;
  readonly index: number;
  readonly uuid: number;
  readonly instant: number;
}

const POSITIONAL: Places = { power: 0, cap: 1, brake: 2, index: -1, uuid: -1, instant: -1 };

function placesOf(columns: readonly string[]): Places {
  // A header prints `power.draw [W]` for the field `power.draw`.
  const names = columns.map((name) => name.replace(/ \[.*\]$/, "").trim());
  const power = names.findIndex((name) => name.startsWith("power.draw"));
  return {
    power,
    cap: names.findIndex((name) => name.endsWith("_reasons.sw_power_cap")),
    brake: names.findIndex((name) => name.endsWith("_reasons.hw_power_brake_slowdown")),
    index: names.indexOf("index"),
    uuid: names.indexOf("uuid"),
    instant: names.indexOf("power.draw.instant", power + 1),
  };
}

function watts(cell: string | undefined): number | undefined {
  if (cell === undefined || !WATTS.test(cell)) return undefined;
  const value = Number(cell);
  return Number.isFinite(value) ? value : undefined;
}

function flag(cell: string | undefined): boolean | undefined {
  if (cell === "Active") return true;
  if (cell === "Not Active") return false;
  return undefined;
}
