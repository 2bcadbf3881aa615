import type { EnergyWindow } from "../energy/energy-window.ts";
import type { RailSampler } from "../rails/sampler.ts";
import type { RailWindow } from "../rails/source.ts";
import { cellRail, type RunRail } from "./cell-rail.ts";
import { cellRecord, cellWithoutFigures } from "./cell-record.ts";
import type { DerivedRail } from "./derived-rail.ts";
import { RailReplay } from "./rail-replay.ts";
import type { CellRecord } from "./run-record.ts";
import type { MeterEvent, RunSegment } from "./run-segments.ts";
import type { SeenWindow } from "./window-requests.ts";

const NO_RAIL: RunRail = {
  sampler: undefined,
  absent: undefined,
  idle: undefined,
  idleReasons: [],
};

/** A window some of whose requests are lost; a resume measures it again. */
const MISSING = "requests of its window are missing from requests.jsonl, so sums would be wrong";

/** The rail of one segment, and the moments at which it was judged. */
export class SegmentRail {
  readonly segment: RunSegment;
  readonly replay: RailReplay = new RailReplay();
  readonly #windows: ReadonlyMap<number, SeenWindow>;
  readonly #use: (record: CellRecord) => void;
  #next = 0;
  #rail: RunRail | undefined;
  #warnings: readonly string[] = [];

  constructor(
    segment: RunSegment,
    windows: ReadonlyMap<number, SeenWindow>,
    use: (record: CellRecord) => void,
  ) {
    this.segment = segment;
    this.#windows = windows;
    this.#use = use;
  }

  /** Judges all that was judged by `lines` lines or fewer. @returns how many lines were missing. */
  judgeUpTo(lines: number): number {
    const { judged } = this.segment;
    let missing = 0;
    for (; this.#next < judged.length; this.#next++) {
      const event = judged[this.#next]!;
      if (event.railLines > lines) break;
      missing = Math.max(missing, event.railLines - this.replay.lines);
      if (event.event === "meter") this.#takeMeter(event);
      else if (event.event === "window") this.#judge(event.cell);
      else if (event.verdict === "differs") this.replay.sampler?.noteAveraging(event.averagingMs);
    }
    return missing;
  }

  derived(): DerivedRail | undefined {
    if (this.#rail === undefined) return undefined;
    const { sampler, absent, idle, idleReasons } = this.#rail;
    const { cost } = this.replay;
    return {
      ...(sampler === undefined ? {} : { facts: sampler.facts }),
      ...(idle === undefined ? {} : { idle }),
      ...(cost === undefined ? {} : { cost }),
      reasons: [...(absent === undefined ? [] : [absent]), ...idleReasons],
      warnings: this.#warnings,
    };
  }

  #takeMeter(event: MeterEvent): void {
    this.#rail = meterRail(event, this.replay.sampler);
    this.#warnings = event.warnings;
  }

  #judge(cell: number): void {
    const window = this.#windows.get(cell);
    // Another segment measured it again.
    if (window?.segment !== this.segment.segment) return;
    const { plan, event, requests, counts } = window;
    if (requests === undefined)
      this.#use(
        cellWithoutFigures(plan, { state: "interrupted", why: MISSING, counts, window: event }),
      );
    else {
      const rail = { ...(this.#rail ?? NO_RAIL), sampler: this.replay.sampler };
      this.#use(cellRecord(requests, cellRail(requests, rail, event)));
    }
  }
}

function meterRail(event: MeterEvent, sampler: RailSampler | undefined): RunRail {
  const { absent, idleReasons } = event;
  const idle = event.idle && sampler?.judgeIdle(event.idle.startMs, event.idle.endMs);
  const isQuiet = idle?.state === "measured" && idleReasons.length === 0;
  if (!isQuiet) return { sampler, absent, idle: undefined, idleReasons };
  const idleLevels = sampler?.idleLevels(idle.startMs, idle.endMs);
  return { sampler, absent, idle: asEnergyWindow(idle), idleLevels, idleReasons };
}

/** The figures alone, without where they are from. */
function asEnergyWindow(window: Extract<RailWindow, { state: "measured" }>): EnergyWindow {
  const {
    state: _state,
    startMs: _start,
    endMs: _end,
    byDevice: _byDevice,
    estimate: _estimate,
    second: _second,
    reasons: _reasons,
    ...figures
  } = window;
  return figures;
}
