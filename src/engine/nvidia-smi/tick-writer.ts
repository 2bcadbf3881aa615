import { setTimeout as delay } from "node:timers/promises";
import type { Output } from "./output.ts";
import { firstHalf, RowFaults } from "./row-faults.ts";
import type { BunchFault, Fault } from "./scenario.ts";
import type { Eol, PendingRow, Row, TickSource } from "./tick.ts";

/** How the rows of a tick get to the output. */
export interface WritePlan {
  readonly perDeviceMs: number;
  readonly perTickFlush: boolean;
  readonly hasHeader: boolean;
  /** Absent: as the source has it. */
  readonly eol: Eol | undefined;
}

/** Reads the rows of a tick one by one and writes them when they are due. */
export class TickWriter {
  readonly #source: TickSource;
  readonly #plan: WritePlan;
  readonly #output: Output;
  readonly #rowFaults: RowFaults;
  readonly #eol: Eol;
  #hasHeader: boolean;
  #heldText = "";
  #heldTicks = 0;

  constructor(source: TickSource, plan: WritePlan, output: Output) {
    this.#source = source;
    this.#plan = plan;
    this.#output = output;
    this.#eol = plan.eol ?? source.eol;
    this.#rowFaults = new RowFaults(source);
    this.#hasHeader = plan.hasHeader && source.header !== undefined;
  }

  async write(pending: readonly PendingRow[], active: readonly Fault[]): Promise<void> {
    const { perDeviceMs, perTickFlush } = this.#plan;
    const bunch = active.find((fault): fault is BunchFault => fault.kind === "bunch");
    const isEachAtOnce = !perTickFlush && bunch === undefined;
    if (this.#hasHeader) this.#heldText += `${this.#source.header}${this.#eol}`;
    this.#hasHeader = false;
    let rows: (Row | PendingRow)[] = [];
    const readAll = () => {
      const read = rows.map((row) => ("read" in row ? row.read() : row));
      this.#heldText += this.#textOf(read, active);
      rows = [];
    };
    for (const [i, row] of pending.entries()) {
      if (i > 0 && perDeviceMs > 0) await delay(perDeviceMs);
      rows.push(row.isReadAtWrite ? row : row.read());
      if (isEachAtOnce && i < pending.length - 1) {
        readAll();
        this.#flush();
      }
    }
    readAll();
    this.#heldText += this.#rubbish(active);
    if (bunch && ++this.#heldTicks < bunch.ticks) return;
    this.#flush(active.some(({ kind }) => kind === "half-line"));
  }

  #textOf(rows: readonly Row[], active: readonly Fault[]): string {
    if (active.some((fault) => fault.kind === "rubbish" && fault.instead)) return "";
    return rows
      .map((row) => {
        const line = this.#rowFaults.lineOf(row, active);
        if (line === undefined) return "";
        return row.hasNoEnd ? line : `${line}${this.#eol}`;
      })
      .join("");
  }

  #rubbish(active: readonly Fault[]): string {
    const lines = active.flatMap((fault) => (fault.kind === "rubbish" ? fault.lines : []));
    return lines.map((line) => `${line}${this.#eol}`).join("");
  }

  #flush(isCutInLastLine = false): void {
    const text = isCutInLastLine ? withHalfLastLine(this.#heldText) : this.#heldText;
    this.#heldText = "";
    this.#heldTicks = 0;
    this.#output.print(text, this.#source.encoding);
  }
}

function withHalfLastLine(text: string): string {
  const trimmed = text.trimEnd();
  const start = trimmed.lastIndexOf("\n") + 1;
  return trimmed.slice(0, start) + firstHalf(trimmed.slice(start));
}
