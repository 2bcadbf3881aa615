import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { JoulemarkError } from "../errors.ts";
import { decodeFloorMetrics, decodeFloorVerdict } from "./decode-floor-result.ts";
import { CellDerivation, type DerivedRail } from "./derive-record.ts";
import type { RailLine } from "./rail-replay.ts";
import { readEntries } from "./read-lines.ts";
import { recordMetrics, sweepPeaks } from "./record-metrics.ts";
import type { RequestLine } from "./request-line.ts";
import type { RunEvent } from "./run-event.ts";
import { writeWhole } from "./run-folder.ts";
import type { RunHeader } from "./run-header.ts";
import type { CellRecord, RunRecord } from "./run-record.ts";
import { softwareVersion } from "./software-version.ts";

/**
 * Makes the record of a run out of its raw files, and writes it as `record.json` in its folder. The
 * same files give the same bytes; a run that was killed gives what was measured until then.
 *
 * @throws {JoulemarkError} `bad_option` for a folder that is no run, and what the file system says.
 */
export async function rederive(dir: string): Promise<RunRecord> {
  const record = await deriveRecord(dir);
  await writeWhole(join(dir, "record.json"), `${JSON.stringify(record, null, 2)}\n`);
  return record;
}

/** The record of a run as its raw files tell it; nothing is written. */
export async function deriveRecord(dir: string): Promise<RunRecord> {
  const header = await readHeader(dir);
  const damage: string[] = [];
  const tell = (problem: string): void => void damage.push(problem);
  const events = await allOf<RunEvent>(join(dir, "events.jsonl"), tell);
  const railLines = await allOf<RailLine>(join(dir, "rail.jsonl"), tell);
  const log = await allOf<RunRecord["log"][number]>(join(dir, "log.jsonl"), tell);
  const derivation = new CellDerivation(header.cells, events, railLines);
  for await (const lines of readEntries(join(dir, "requests.jsonl"), tell)) {
    for (const line of lines) derivation.add(line as RequestLine);
  }
  return recordOf({ header, events, log, damage }, derivation.cells(), derivation.rail);
}

/** @throws {JoulemarkError} `bad_option` when the folder is no run of this kind. */
export async function readHeader(dir: string): Promise<RunHeader> {
  let header: unknown;
  try {
    header = JSON.parse(await readFile(join(dir, "run.json"), "utf8"));
  } catch (cause) {
    const why = cause instanceof SyntaxError ? "its run.json is not whole" : "it has no run.json";
    throw new JoulemarkError("bad_option", `${dir} is no run folder: ${why}`, { cause });
  }
  const { schema, cells } = header as Partial<RunHeader>;
  if (schema === "joulemark.run/1" && Array.isArray(cells)) return header as RunHeader;
  throw new JoulemarkError(
    "bad_option",
    `${dir}: run.json has the schema ${JSON.stringify(schema)}; this version reads joulemark.run/1`,
  );
}

/** How often a run was begun or resumed. */
export async function countSegments(dir: string): Promise<number> {
  const events = await allOf<RunEvent>(join(dir, "events.jsonl"), () => {});
  return events.filter(({ event }) => event === "segment").length;
}

/** What a record is made of beside its cells and their rail. */
export interface RunFiles {
  readonly header: RunHeader;
  readonly events: readonly RunEvent[];
  readonly log: RunRecord["log"];
  readonly damage: readonly string[];
}

/** The record of a run whose cells are known. */
export function recordOf(
  { header, events, log, damage }: RunFiles,
  cells: readonly CellRecord[],
  rail: DerivedRail,
): RunRecord {
  const { benchmark, parameters, target, host, startedAt } = header;
  const isFloor = benchmark === "decode-floor";
  const metrics = {
    ...recordMetrics(cells, rail),
    ...(isFloor ? decodeFloorMetrics(cells, rail) : sweepPeaks(cells, rail)),
  };
  return {
    schema: "joulemark.record/1",
    benchmark,
    software: { name: "joulemark", version: softwareVersion() },
    startedAt,
    simulated: rail.facts?.head === "sim_rail",
    interrupted: isInterrupted(events),
    parameters,
    target,
    host,
    ...serverOf(events),
    ...(rail.facts === undefined ? {} : { rail: rail.facts }),
    ...(rail.idle === undefined ? {} : { idle: rail.idle }),
    cells,
    metrics: Object.fromEntries(Object.entries(metrics).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ...(isFloor ? { verdict: decodeFloorVerdict(cells, floorRules(header)) } : {}),
    validity: rail.reasons,
    warnings: rail.warnings,
    log: log.map(({ level, text }) => ({ level, text })),
    ...(rail.cost === undefined ? {} : { samplerCost: rail.cost }),
    damage,
  };
}

/** A run is whole only if it says so itself, in its last segment. */
function isInterrupted(events: readonly RunEvent[]): boolean {
  const last = events.findLast(({ event }) => event === "ended" || event === "segment");
  return last?.event !== "ended" || last.isInterrupted;
}

function serverOf(events: readonly RunEvent[]): Pick<RunRecord, "server"> {
  const seen = events.findLast((event) => event.event === "server");
  if (seen?.event !== "server") return {};
  const { name, version, model } = seen;
  return {
    server: {
      ...(name === undefined ? {} : { name }),
      ...(version === undefined ? {} : { version }),
      ...(model === undefined ? {} : { model }),
    },
  };
}

function floorRules({ parameters, cells }: RunHeader) {
  const minTokS = parameters["min-tok-s"];
  return {
    maxTokens: cells[0]?.outputTokens ?? 0,
    requireSpeculation: parameters["require-speculation"] === true,
    ...(typeof minTokS === "number" ? { minTokS } : {}),
  };
}

async function allOf<T>(path: string, tell: (problem: string) => void): Promise<T[]> {
  const all: object[] = [];
  for await (const entries of readEntries(path, tell)) for (const entry of entries) all.push(entry);
  return all as T[];
}
