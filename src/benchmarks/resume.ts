import { isDeepStrictEqual } from "node:util";
import { JoulemarkError } from "../errors.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { RunRecord } from "../records/run-record.ts";
import type { BenchmarkSpec } from "./benchmark-run.ts";

/** @throws {JoulemarkError} `bad_option` for a run that was planned otherwise, or of another model. */
export function checkResumable(
  record: RunRecord,
  { benchmark, cells, model }: Pick<BenchmarkSpec, "benchmark" | "cells"> & { model?: string },
  path: string,
): void {
  if (record.benchmark !== benchmark) {
    throw notResumable(path, `it is a ${record.benchmark}, not a ${benchmark}`);
  }
  if (record.target.model !== model) {
    throw notResumable(path, `it measured the model ${record.target.model}, this is ${model}`);
  }
  const planned = record.cells.map((cell) => planOf(cell));
  const isSame = isDeepStrictEqual(planned, cells.map(planOf));
  if (!isSame) {
    throw notResumable(path, "its cells are others: give the flags that it was started with");
  }
}

/** Cells of a plan that have not been measured to their end. */
export function missingCells(record: RunRecord, cells: readonly CellPlan[]): readonly CellPlan[] {
  return cells.filter(({ cell }) => record.cells[cell]?.state !== "measured");
}

function planOf(plan: CellPlan): unknown {
  const { cell, repeat, label, prefix, concurrency, requests, durationS } = plan;
  const { inputTokens, outputTokens, cache } = plan;
  const all = { cell, repeat, label, prefix, concurrency, requests, durationS, inputTokens };
  return { ...all, outputTokens, cache };
}

function notResumable(path: string, why: string): JoulemarkError {
  return new JoulemarkError("bad_option", `--resume ${path}: ${why}`);
}
