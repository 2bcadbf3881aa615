import type { Fault } from "./scenario.ts";
import type { Row, TickSource } from "./tick.ts";

/** What is said of every cell of a GPU that has fallen off the bus. */
const LOST = "[GPU is lost]";

/** The faults among `faults` that hold in this tick, counted from 0. */
export function faultsAt(faults: readonly Fault[], tick: number): Fault[] {
  return faults.filter((fault) => {
    const forTicks = "forTicks" in fault ? (fault.forTicks ?? Infinity) : Infinity;
    return tick >= fault.afterTicks && tick < fault.afterTicks + forTicks;
  });
}

/** Turns rows into the lines that are printed, in the way of the faults that hold. */
export class RowFaults {
  readonly #source: TickSource;
  readonly #lastCells = new Map<number, readonly string[]>();
  #lastLine = "";

  constructor(source: TickSource) {
    this.#source = source;
  }

  /** @returns the row's line without its end, or `undefined` when the row is left out. */
  lineOf(row: Row, active: readonly Fault[]): string | undefined {
    let cells = row.cells;
    for (const fault of active) {
      if ("index" in fault && fault.index !== row.deviceIndex) continue;
      if (fault.kind === "drop-device") return undefined;
      if (fault.kind === "lose-device") cells = cells.map(() => LOST);
      if (fault.kind === "freeze") cells = this.#frozen(fault.index, cells);
      if (fault.kind === "other-columns") cells = [...cells, "0"];
    }
    if (row.deviceIndex !== undefined) this.#lastCells.set(row.deviceIndex, cells);
    const line = row.verbatim ?? cells.join(", ");
    const formerLine = this.#lastLine;
    this.#lastLine = line;
    return active.some(({ kind }) => kind === "glue") ? firstHalf(formerLine) + line : line;
  }

  #frozen(index: number, cells: readonly string[]): readonly string[] {
    const former = this.#lastCells.get(index) ?? cells;
    return cells.map((cell, i) =>
      this.#source.powerColumns.includes(i) ? (former[i] ?? cell) : cell,
    );
  }
}

/** The first half of a text, never the whole of it. */
export function firstHalf(text: string): string {
  return text.slice(0, Math.floor(text.length / 2));
}
