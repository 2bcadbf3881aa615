import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RailFacts } from "../../../src/rails/source.ts";
import type { RailLine } from "../../../src/records/rail-replay.ts";
import type { RequestLine } from "../../../src/records/request-line.ts";
import type { RunEvent } from "../../../src/records/run-event.ts";
import type { CellPlan, RunHeader } from "../../../src/records/run-header.ts";
import { lineOf, planOf } from "./lines.ts";
import { tempFolder } from "./temp-folder.ts";

/** The raw files of a run. */
export interface RawRun {
  readonly header: RunHeader;
  readonly events: readonly RunEvent[];
  readonly rail: readonly RailLine[];
  readonly requests: readonly RequestLine[];
  readonly log: readonly object[];
}

type EventOf<Name extends RunEvent["event"]> = Extract<RunEvent, { event: Name }>;

export const FACTS: RailFacts = {
  source: "nvidia-smi",
  head: "gpu_rail",
  devices: [{ id: "GPU-a", index: 0, name: "NVIDIA X" }],
  sensor: { averagingMs: 100, updateMs: 100, kind: "instant" },
  sensorBasis: "the test says so",
  periodMs: 100,
  fields: ["power.draw.instant"],
  covers: "the GPU board",
  excludes: "all else",
  warnings: [],
  silentDevices: [],
};

export const CELLS: readonly CellPlan[] = [
  planOf({ cell: 0, prefix: "c2_", concurrency: 2, requests: 4 }),
  planOf({ cell: 1, label: "1 at once", prefix: "c1_", concurrency: 1, requests: 2 }),
];

/** Readings of 100 W every 100 ms up to 900 ms, and of 300 W from 1000 ms on. */
export function readings(toMs: number, powerW?: (atMs: number) => number): RailLine[] {
  const watts = powerW ?? ((atMs: number) => (atMs < 1000 ? 100 : 300));
  return Array.from({ length: toMs / 100 + 1 }, (_, i) => {
    const sample = { atMs: i * 100, powerW: watts(i * 100), device: "GPU-a" };
    return { kind: "read", atMs: i * 100, samples: [sample], rejected: [] };
  });
}

/** A window that was judged when the readings up to 300 ms after it were there. */
export function windowEvent(
  cell: number,
  startMs: number,
  more: Partial<EventOf<"window">> = {},
): EventOf<"window"> {
  const endMs = startMs + 500;
  return {
    event: "window",
    atMs: endMs + 300,
    cell,
    startMs,
    endMs,
    railLines: 1 + (endMs + 300) / 100 + 1,
    requests: CELLS[cell]!.requests!,
    health: { windowS: 0.5, threads: [], sendLagMs: { n: 0 }, isSaturated: false, why: [] },
    notSent: 0,
    ...more,
  };
}

export const METER: EventOf<"meter"> = {
  event: "meter",
  atMs: 1000,
  railLines: 11,
  idle: { startMs: 0, endMs: 900 },
  idleReasons: [],
  warnings: [],
};

export function segmentEvent(segment: number): EventOf<"segment"> {
  const startedAt = "2026-01-02T03:04:05.678Z";
  return { event: "segment", segment, atMs: 0, startedAt, clockOriginNs: "0", software: "0.1.0" };
}

/** The requests of cell 0, all over by 1410 ms, and of cell 1, all over by 2400 ms. */
export const REQUESTS: readonly RequestLine[] = [
  lineOf(0, 900, { phase: "warm-up", completionTokens: 1000 }),
  lineOf(0, 1000),
  lineOf(1, 1010),
  lineOf(2, 1200),
  lineOf(3, 1210),
  lineOf(0, 2000, { cell: 1 }),
  lineOf(1, 2200, { cell: 1 }),
];

/**
 * A run of two cells whose figures fit on a sheet of paper. Idle 100 W. Cell 0: 500 ms at 300 W,
 * 12 tokens; cell 1: 500 ms at 300 W, 6 tokens.
 */
export function smallRun(more: Partial<RawRun> = {}): RawRun {
  return {
    header: headerOf(),
    events: [
      segmentEvent(0),
      { event: "server", atMs: 5, name: "vLLM", model: "m" },
      METER,
      { event: "cell_started", atMs: 1000, cell: 0 },
      windowEvent(0, 1000),
      { event: "cell_ended", atMs: 1800, cell: 0 },
      { event: "cell_started", atMs: 1900, cell: 1 },
      windowEvent(1, 2000),
      { event: "cell_ended", atMs: 2800, cell: 1 },
      { event: "ended", atMs: 2900, isInterrupted: false },
    ],
    rail: [
      { kind: "segment", segment: 0 },
      { kind: "facts", facts: FACTS },
      ...readings(2900),
      { kind: "stopped", atMs: 2950, cost: { wallS: 2.9, samples: 30, rejectedLines: 0 } },
    ],
    requests: REQUESTS,
    log: [{ atMs: 1, level: "info", text: "rail open" }],
    ...more,
  };
}

export function headerOf(more: Partial<RunHeader> = {}): RunHeader {
  return {
    schema: "joulemark.run/1",
    benchmark: "sweep",
    software: { name: "joulemark", version: "0.1.0" },
    startedAt: "2026-01-02T03:04:05.678Z",
    startedAtMs: 0,
    clockOriginNs: "0",
    parameters: { "output-tokens": 3 },
    target: {
      baseUrl: "http://127.0.0.1:8000/v1",
      requestUrl: "http://127.0.0.1:8000/v1/chat/completions",
      endpoint: "chat",
      model: "m",
      auth: "none",
      isInsecure: false,
      isProxied: false,
    },
    host: {
      hostname: "h",
      os: "Linux",
      cpu: "c",
      cpuCount: 2,
      memoryBytes: 1,
      nodeVersion: "v20",
    },
    tokenTimes: "differences_us",
    cells: CELLS,
    ...more,
  };
}

/** Writes a run to a folder of its own. */
export function writeRun({ header, events, rail, requests, log }: RawRun): string {
  const dir = tempFolder();
  writeFileSync(join(dir, "run.json"), JSON.stringify(header));
  const files = { events, rail, requests, log };
  for (const [name, lines] of Object.entries(files)) {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    writeFileSync(join(dir, `${name}.jsonl`), text);
  }
  return dir;
}
