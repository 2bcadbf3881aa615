import { join } from "node:path";
import { finiteSorted } from "../energy/metrics.ts";
import { JoulemarkError } from "../errors.ts";
import type { LogLine } from "../rails/meter.ts";
import { type SensorCheck, sensorCheckLine } from "../rails/sensor-check.ts";
import { cellWithoutFigures } from "./cell-record.ts";
import { Damage } from "./damage.ts";
import { decodeFloorFigures, decodeFloorVerdict } from "./decode-floor-result.ts";
import { type DerivedRail, runRail } from "./derived-rail.ts";
import { eventShape, logShape } from "./event-shape.ts";
import { jsonText } from "./json-text.ts";
import { phaseEnergy } from "./phase-energy.ts";
import { RailPass } from "./rail-pass.ts";
import type { RailLine } from "./rail-replay.ts";
import { railShape } from "./rail-shape.ts";
import { readHeader } from "./read-header.ts";
import { type ReadEntries, readEntries } from "./read-lines.ts";
import { recordMetrics, sweepPeaks } from "./record-metrics.ts";
import type { RequestLine } from "./request-line.ts";
import { requestShape } from "./request-shape.ts";
import type { RunEvent } from "./run-event.ts";
import { writeWhole } from "./run-folder.ts";
import type { CellPlan, RunHeader } from "./run-header.ts";
import type { CellRecord, RunRecord } from "./run-record.ts";
import { type RunSegments, runSegments } from "./run-segments.ts";
import { softwareVersion } from "./software-version.ts";
import { type SeenRequests, WindowRequests } from "./window-requests.ts";

/**
 * Makes the record of a run out of its raw files, and writes it as `record.json` in its folder. The
 * same files give the same bytes; a run that was killed gives what was measured until then.
 *
 * @throws {JoulemarkError} `bad_option` for a folder that is no run, `not_written` where the record
 *   cannot be put in place, and what the file system says.
 */
export async function rederive(dir: string): Promise<RunRecord> {
  const record = await deriveRecord(dir);
  await written(dir, `${jsonText(record, 2)}\n`);
  return record;
}

async function written(dir: string, text: string): Promise<void> {
  try {
    await writeWhole(join(dir, "record.json"), text);
  } catch (cause) {
    const why = (cause as Error).message;
    throw new JoulemarkError(
      "not_written",
      `${dir}: record.json could not be written (${why}); make room, or copy the run to where it can be`,
      { cause },
    );
  }
}

/** The record of a run as its raw files tell it; nothing is written. */
export async function deriveRecord(dir: string): Promise<RunRecord> {
  const header = await readHeader(dir);
  const damage = new Damage();
  const events = await readAll<RunEvent>(join(dir, "events.jsonl"), { shape: eventShape, damage });
  const segments = runSegments(events);
  const { windows, cutOff } = await readRequests(dir, header, segments, damage);
  const railPass = new RailPass(segments.segments, windows, damage);
  const ofRail = { shape: railShape, damage };
  for await (const lines of readEntries<RailLine>(join(dir, "rail.jsonl"), ofRail)) {
    for (const line of lines) railPass.add(line);
  }
  const { cells: measured, rails } = railPass.finish();
  const log = await readAll<LogLine>(join(dir, "log.jsonl"), { shape: logShape, damage });
  const cells = header.cells.map(
    (plan) => measured.get(plan.cell) ?? cutOffCell(plan, cutOff.get(plan.cell)),
  );
  return recordOf({ header, events, log, damage: damage.all() }, cells, rails);
}

function cutOffCell(plan: CellPlan, counts: CellRecord["counts"]): CellRecord {
  return notMeasured(plan, counts === undefined ? "not measured" : "interrupted", counts);
}

async function readRequests(
  dir: string,
  { cells }: RunHeader,
  segments: RunSegments,
  damage: Damage,
): Promise<SeenRequests> {
  const requests = new WindowRequests(cells, segments);
  const file = join(dir, "requests.jsonl");
  for await (const lines of readEntries<RequestLine>(file, { shape: requestShape, damage })) {
    for (const { value } of lines) if (value) requests.add(value);
  }
  return requests.finish(damage);
}

/** A planned cell whose window was never over. */
export function notMeasured(
  plan: CellPlan,
  state: "interrupted" | "not measured",
  counts?: CellRecord["counts"],
): CellRecord {
  const why =
    state === "interrupted"
      ? "the run ended before its window was over"
      : "the run ended before it was begun";
  return cellWithoutFigures(plan, { state, why, counts });
}

/** What a record is made of beside its cells and their rail. */
export interface RunFiles {
  readonly header: RunHeader;
  readonly events: readonly RunEvent[];
  readonly log: RunRecord["log"];
  readonly damage: readonly string[];
  /** Of what was measured before, where its events are not there. */
  readonly sensorChecks?: readonly SensorCheck[];
}

/** The record of a run whose cells are known. */
export function recordOf(
  { header, events, log, damage, sensorChecks = [] }: RunFiles,
  cells: readonly CellRecord[],
  rails: readonly DerivedRail[],
): RunRecord {
  const { benchmark, parameters, target, host, startedAt } = header;
  const rail = runRail(rails);
  const checks = [...sensorChecks, ...checksOf(events)];
  const isFloor = benchmark === "decode-floor";
  const phases = phaseEnergy(isFloor ? [] : cells, rail.facts?.head);
  const metrics = isFloor
    ? decodeFloorFigures(cells, rail)
    : finiteSorted({
        ...recordMetrics(cells, rail),
        ...sweepPeaks(cells, rail),
        ...phases.metrics,
      });
  return {
    schema: "joulemark.record/1",
    benchmark,
    software: { name: "joulemark", version: softwareVersion() },
    startedAt,
    simulated: isSimulated(events, rails),
    interrupted: isInterrupted(events),
    parameters,
    target,
    host,
    ...serverOf(events),
    ...(rail.facts === undefined ? {} : { rail: rail.facts }),
    ...(rail.idle === undefined ? {} : { idle: rail.idle }),
    ...(checks.length === 0 ? {} : { sensorChecks: checks }),
    cells,
    metrics,
    ...(isFloor ? { verdict: decodeFloorVerdict(cells, floorRules(header)) } : {}),
    validity: [...rail.reasons, ...phases.reasons],
    warnings: [...new Set([...rail.warnings, ...checkWarnings(checks, rail)])],
    log: log.map(({ level, text }) => ({ level, text })),
    ...(rail.cost === undefined ? {} : { samplerCost: rail.cost }),
    damage,
  };
}

function checksOf(events: readonly RunEvent[]): readonly SensorCheck[] {
  return events.flatMap((event) => {
    if (event.event !== "sensor_check") return [];
    const { device, declaredMs, averagingMs, loMs, hiMs, how, verdict } = event;
    return [{ device, declaredMs, averagingMs, loMs, hiMs, how, verdict }];
  });
}

function checkWarnings(checks: readonly SensorCheck[], { facts }: DerivedRail): readonly string[] {
  const lines = checks.map((check) => sensorCheckLine(check, facts ?? { devices: [] }));
  return lines.filter(({ level }) => level === "warn").map(({ text }) => text);
}

/** The built-in engine says of itself that it is none; the stand-in's devices do. */
function isSimulated(events: readonly RunEvent[], rails: readonly DerivedRail[]): boolean {
  const { name = "" } = serverOf(events).server ?? {};
  return name.includes("SIMULATED") || rails.some(({ facts }) => facts?.head === "sim_rail");
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

async function readAll<T>(path: string, how: ReadEntries): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const lines of readEntries<T>(path, how)) {
    for (const { value } of lines) if (value !== undefined) all.push(value);
  }
  return all;
}
