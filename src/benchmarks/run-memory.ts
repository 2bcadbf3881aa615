import type { EnergyMeter, LogLine } from "../rails/meter.ts";
import type { DerivedRail } from "../records/derived-rail.ts";
import { notMeasured, recordOf } from "../records/rederive.ts";
import type { RunEvent } from "../records/run-event.ts";
import type { CellPlan, RunHeader } from "../records/run-header.ts";
import type { CellRecord, RunRecord } from "../records/run-record.ts";

/** What is known of a run before it starts, or goes on. */
export interface RunFacts {
  readonly header: RunHeader;
  /** The record of a run that is resumed, as it was before. */
  readonly before?: RunRecord;
}

/** What its record needs of a run, for the case that its files cannot be written. */
export class RunMemory {
  readonly #events: RunEvent[] = [];
  readonly #log: LogLine[] = [];
  readonly #cells = new Map<number, CellRecord>();

  event(event: RunEvent): void {
    this.#events.push(event);
  }

  log(line: LogLine): void {
    this.#log.push(line);
  }

  cell(record: CellRecord): void {
    this.#cells.set(record.cell, record);
  }

  /** The record, as it would be made of files that are whole. */
  record({ header, before }: RunFacts, meter: EnergyMeter): RunRecord {
    const hasMeter = this.#events.some(({ event }) => event === "meter");
    return recordOf(
      {
        header,
        events: this.#events,
        log: [...(before?.log ?? []), ...this.#log],
        damage: before?.damage ?? [],
        sensorChecks: before?.sensorChecks ?? [],
      },
      header.cells.map((plan) => this.#cellOf(plan, before)),
      [
        ...(before === undefined ? [] : [railOfRecord(before)]),
        ...(hasMeter || before === undefined ? [railOfMeter(meter)] : []),
      ],
    );
  }

  #cellOf(plan: CellPlan, before: RunRecord | undefined): CellRecord {
    const known = this.#cells.get(plan.cell) ?? before?.cells[plan.cell];
    if (known !== undefined && known.state !== "not measured") return known;
    const isStarted = this.#events.some(
      (event) => event.event === "cell_started" && event.cell === plan.cell,
    );
    return notMeasured(plan, isStarted ? "interrupted" : "not measured");
  }
}

function railOfMeter({
  facts,
  idle,
  cost,
  absent,
  idleReasons,
  warnings,
}: EnergyMeter): DerivedRail {
  return {
    ...(facts === undefined ? {} : { facts }),
    ...(idle === undefined ? {} : { idle }),
    ...(cost === undefined ? {} : { cost }),
    reasons: [...(absent === undefined ? [] : [absent]), ...idleReasons],
    warnings,
  };
}

function railOfRecord({ rail, idle, samplerCost, validity, warnings }: RunRecord): DerivedRail {
  return {
    ...(rail === undefined ? {} : { facts: rail }),
    ...(idle === undefined ? {} : { idle }),
    ...(samplerCost === undefined ? {} : { cost: samplerCost }),
    // Those of the phases are made anew out of the cells.
    reasons: validity.filter(({ refuses }) => refuses !== "phases") as DerivedRail["reasons"],
    warnings,
  };
}
