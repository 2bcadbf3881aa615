import type { Damage } from "./damage.ts";
import type { DerivedRail } from "./derived-rail.ts";
import type { RailLine } from "./rail-replay.ts";
import type { Entry } from "./read-lines.ts";
import type { CellRecord } from "./run-record.ts";
import type { RunSegment } from "./run-segments.ts";
import { SegmentRail } from "./segment-rail.ts";
import type { SeenWindow } from "./window-requests.ts";

/**
 * Makes the cells of a run while the lines of its rail come by: each window is judged when as many
 * lines are there as there were when the run judged it.
 */
export class RailPass {
  readonly #segments: readonly RunSegment[];
  readonly #windows: ReadonlyMap<number, SeenWindow>;
  readonly #damage: Damage;
  readonly #done = new Set<RunSegment>();
  readonly #rails: DerivedRail[] = [];
  readonly #cells = new Map<number, CellRecord>();
  /** Absent between segments, where lines belong to nobody. */
  #current: SegmentRail | undefined;

  constructor(
    segments: readonly RunSegment[],
    windows: ReadonlyMap<number, SeenWindow>,
    damage: Damage,
  ) {
    this.#segments = segments;
    this.#windows = windows;
    this.#damage = damage;
  }

  add({ line, value }: Entry<RailLine>): void {
    if (value?.kind === "segment") {
      this.#endSegment();
      const { segment } = value;
      const known = this.#segments.find((one) => one.segment === segment && !this.#done.has(one));
      if (known) this.#current = this.#begin(known);
      return;
    }
    if (value?.kind === "facts" && this.#current?.replay.sampler) {
      // The line that begins a segment is lost: these are the readings of another clock.
      this.#damage.line("rail.jsonl", line, "it begins a segment that nothing names");
      this.#endSegment();
    }
    if (this.#current === undefined) return;
    this.#current.judgeUpTo(this.#current.replay.lines);
    const problem = this.#current.replay.accept(value);
    if (problem !== undefined) this.#damage.line("rail.jsonl", line, problem);
  }

  /** @returns the cells that have a window, and what the run's rails come to. */
  finish(): { readonly cells: ReadonlyMap<number, CellRecord>; readonly rails: DerivedRail[] } {
    this.#endSegment();
    for (const segment of this.#segments) {
      if (this.#done.has(segment)) continue;
      this.#current = this.#begin(segment);
      this.#endSegment();
    }
    return { cells: this.#cells, rails: this.#rails };
  }

  #begin(segment: RunSegment): SegmentRail {
    this.#done.add(segment);
    return new SegmentRail(segment, this.#windows, (record) =>
      this.#cells.set(record.cell, record),
    );
  }

  #endSegment(): void {
    const current = this.#current;
    if (current === undefined) return;
    this.#current = undefined;
    const missing = current.judgeUpTo(Number.POSITIVE_INFINITY);
    if (missing > 0) {
      const { segment } = current.segment;
      this.#damage.tell(
        `rail.jsonl: ${missing} lines of segment ${segment} are missing at its end`,
      );
    }
    const rail = current.derived();
    if (rail) this.#rails.push(rail);
  }
}
