import type { EnergyWindow } from "../energy/energy-window.ts";
import type { Refusal } from "../energy/rail-refusal.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import type { RailSampler } from "../rails/sampler.ts";
import type { RailFacts, RailWindow } from "../rails/source.ts";
import { CellAccumulator } from "./cell-accumulator.ts";
import { type CellRail, cellRail, type RunRail } from "./cell-rail.ts";
import { cellRecord } from "./cell-record.ts";
import { type RailLine, RailReplay } from "./rail-replay.ts";
import type { RequestLine } from "./request-line.ts";
import type { RunEvent } from "./run-event.ts";
import type { CellPlan } from "./run-header.ts";
import type { CellRecord } from "./run-record.ts";

type Of<Name extends RunEvent["event"]> = Extract<RunEvent, { event: Name }>;

/** What a segment's rail comes to, beside its cells. */
export interface DerivedRail {
  readonly facts?: RailFacts;
  readonly idle?: EnergyWindow;
  readonly cost?: SamplerCost;
  /** Why there is no rail, or no idle baseline. */
  readonly reasons: readonly Refusal[];
  readonly warnings: readonly string[];
}

/** A window as its events and readings tell, before its requests are looked at. */
interface SeenWindow {
  readonly segment: number;
  readonly event: Of<"window">;
  readonly rail: CellRail;
  readonly accumulator: CellAccumulator;
}

/**
 * Makes the cells of a run out of its files: all events and rail lines first, then request after
 * request, in the order in which they stand.
 */
export class CellDerivation {
  /** Of the last segment that had one. */
  readonly rail: DerivedRail;
  readonly #plans: readonly CellPlan[];
  /** By cell. Of one that was measured again after a resume, the last time counts. */
  readonly #windows = new Map<number, SeenWindow>();
  readonly #started = new Set<number>();

  constructor(
    plans: readonly CellPlan[],
    events: readonly RunEvent[],
    railLines: readonly RailLine[],
  ) {
    this.#plans = plans;
    let rail: DerivedRail = { reasons: [], warnings: [] };
    for (const segment of segmentsOf(events, railLines)) rail = this.#readSegment(segment) ?? rail;
    this.rail = rail;
  }

  add(line: RequestLine): void {
    const window = this.#windows.get(line.cell);
    if (window?.segment === line.segment) window.accumulator.add(line);
  }

  cells(): CellRecord[] {
    return this.#plans.map((plan) => {
      const window = this.#windows.get(plan.cell);
      if (window) return cellRecord(window.accumulator.finish(window.event), window.rail);
      const state = this.#started.has(plan.cell) ? "interrupted" : "not measured";
      return { ...plan, state, metrics: {}, isComparable: false, validity: [], warnings: [] };
    });
  }

  #readSegment({ segment, events, railLines }: Segment): DerivedRail | undefined {
    const replay = new RailReplay(railLines);
    let rail: RunRail | undefined;
    let warnings: readonly string[] = [];
    for (const event of events) {
      if (event.event === "meter") {
        rail = meterRail(event, replay.at(event.railLines));
        warnings = event.warnings;
      }
      if (event.event === "cell_started") this.#started.add(event.cell);
      const plan = event.event === "window" ? this.#plans[event.cell] : undefined;
      if (event.event !== "window" || plan === undefined) continue;
      this.#windows.set(event.cell, {
        segment,
        event,
        rail: cellRail(event, { ...(rail ?? NO_RAIL), sampler: replay.at(event.railLines) }),
        accumulator: new CellAccumulator(plan),
      });
    }
    return rail && derivedRail(rail, warnings, replay.cost);
  }
}

const NO_RAIL: RunRail = {
  sampler: undefined,
  absent: undefined,
  idle: undefined,
  idleReasons: [],
};

interface Segment {
  readonly segment: number;
  readonly events: readonly RunEvent[];
  readonly railLines: readonly RailLine[];
}

function segmentsOf(
  events: readonly RunEvent[],
  railLines: readonly RailLine[],
): readonly Segment[] {
  const railBySegment = new Map<number, RailLine[]>();
  let lines: RailLine[] = [];
  for (const line of railLines) {
    if (line.kind === "segment") {
      lines = [];
      railBySegment.set(line.segment, lines);
    } else lines.push(line);
  }
  const segments: { segment: number; events: RunEvent[] }[] = [];
  for (const event of events) {
    if (event.event === "segment") segments.push({ segment: event.segment, events: [] });
    else segments.at(-1)?.events.push(event);
  }
  return segments.map((one) => ({ ...one, railLines: railBySegment.get(one.segment) ?? [] }));
}

function meterRail(event: Of<"meter">, sampler: RailSampler | undefined): RunRail {
  const { absent, idleReasons } = event;
  const idle = event.idle && sampler?.judgeIdle(event.idle.startMs, event.idle.endMs);
  const isQuiet = idle?.state === "measured" && idleReasons.length === 0;
  return { sampler, absent, idle: isQuiet ? asEnergyWindow(idle) : undefined, idleReasons };
}

function derivedRail(
  { sampler, absent, idle, idleReasons }: RunRail,
  warnings: readonly string[],
  cost: SamplerCost | undefined,
): DerivedRail {
  return {
    ...(sampler === undefined ? {} : { facts: sampler.facts }),
    ...(idle === undefined ? {} : { idle }),
    ...(cost === undefined ? {} : { cost }),
    reasons: [...(absent === undefined ? [] : [absent]), ...idleReasons],
    warnings,
  };
}

/** The figures alone, without where they are from. */
function asEnergyWindow(window: Extract<RailWindow, { state: "measured" }>): EnergyWindow {
  const {
    state: _state,
    startMs: _start,
    endMs: _end,
    byDevice: _byDevice,
    reasons: _reasons,
    ...figures
  } = window;
  return figures;
}
