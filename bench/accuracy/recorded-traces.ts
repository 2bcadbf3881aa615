import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseLine } from "../../src/energy/parse-line.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";

/** What a real card said in two columns at once, in ms since its first line. */
export interface RecordedTrace {
  readonly file: string;
  /** When its first line was printed, in ms since 1970 by the card's own clock. */
  readonly firstEpochMs: number;
  /** `power.draw.average`. */
  readonly average: readonly PowerSample[];
  /** `power.draw.instant` of the same lines. */
  readonly instant: readonly PowerSample[];
}

/** A recording with two power columns that cannot be used. */
export interface SkippedTrace {
  readonly file: string;
  readonly reason: string;
}

const AVERAGE = "power.draw.average [W]";
const INSTANT = "power.draw.instant [W]";
/** Room for windows with the settle time around them, in ms, and readings enough inside. */
const LEAST_MS = 8000;
const LEAST_READINGS = 20;

/** Every recording of a folder that has both columns. */
export function recordedTraces(folder: string): readonly (RecordedTrace | SkippedTrace)[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".csv"))
    .toSorted()
    .flatMap((file) => {
      const [head = "", ...lines] = readFileSync(join(folder, file), "utf8").trim().split("\n");
      const columns = head.split(",").map((name) => name.trim());
      const hasBoth = columns.includes(AVERAGE) && columns.includes(INSTANT);
      return hasBoth ? [readTrace(file, columns, lines)] : [];
    });
}

function readTrace(
  file: string,
  columns: readonly string[],
  lines: readonly string[],
): RecordedTrace | SkippedTrace {
  if (!columns.includes("timestamp")) return { file, reason: `${lines.length} rows without times` };
  // The first power column is the one that is read: it has to be the average.
  const names = columns.map((name) => (name === "power.draw [W]" ? "other" : name));
  const epochMs = lines.map((line) => epochOf(line.split(",")[columns.indexOf("timestamp")]!));
  const firstEpochMs = epochMs[0] ?? Number.NaN;
  const average = lines.flatMap((line, i) => {
    const sample = parseLine(line.replaceAll(" W", ""), epochMs[i]! - firstEpochMs, names);
    return sample?.instantW === undefined ? [] : [sample];
  });
  const lengthMs = average.at(-1)?.atMs ?? 0;
  if (!(lengthMs >= LEAST_MS && average.length >= LEAST_READINGS)) {
    const seconds = (lengthMs / 1000).toFixed(2);
    return { file, reason: `${average.length} readings over ${seconds} s: too few for windows` };
  }
  const instant = average.map((one) => ({ atMs: one.atMs, powerW: one.instantW! }));
  return { file, firstEpochMs, average, instant };
}

/** The recordings are from one place, an hour before UTC. */
function epochOf(timestamp: string): number {
  const [date = "", time = ""] = timestamp.trim().split(" ");
  return Date.parse(`${date.replaceAll("/", "-")}T${time}+01:00`);
}
