import { isDeepStrictEqual } from "node:util";
import { JoulemarkError } from "../errors.ts";
import type { CellPlan } from "../records/run-header.ts";
import type { RunRecord } from "../records/run-record.ts";
import type { TargetRecord } from "../target/target-record.ts";
import type { BenchmarkSpec } from "./benchmark-run.ts";

/** @throws {JoulemarkError} `bad_option` for a run that was planned otherwise. */
export function checkResumable(
  record: RunRecord,
  { benchmark, cells }: Pick<BenchmarkSpec, "benchmark" | "cells">,
  path: string,
): void {
  if (record.benchmark !== benchmark) {
    throw notResumable(path, `it is a ${record.benchmark}, not a ${benchmark}`);
  }
  const planned = record.cells.map((cell) => planOf(cell));
  const isSame = isDeepStrictEqual(planned, cells.map(planOf));
  if (!isSame) {
    throw notResumable(path, "its cells are others: give the flags that it was started with");
  }
}

/** @throws {JoulemarkError} `bad_option` for another endpoint or model: one record is of one. */
export function checkSameTarget(
  { target: before }: Pick<RunRecord, "target">,
  now: TargetRecord,
  path: string,
): void {
  if (before.model !== now.model) {
    throw notResumable(path, `it measured the model ${before.model}, this is ${now.model}`);
  }
  if (before.requestUrl === now.requestUrl && before.socketPath === now.socketPath) return;
  throw notResumable(path, `it measured ${before.requestUrl}, this is ${now.requestUrl}`);
}

/** @throws {JoulemarkError} `bad_option` where something else answers at the same address. */
export function checkSameServer(
  before: RunRecord["server"],
  now: { readonly name?: string } | undefined,
  path: string,
): void {
  if (before?.name === undefined || now?.name === undefined || before.name === now.name) return;
  throw notResumable(path, `${before.name} answered there, and now ${now.name} does`);
}

/** @throws {JoulemarkError} `bad_option` where the joules would be those of other devices. */
export function checkSameRail(
  before: RunRecord["rail"],
  now: RunRecord["rail"],
  path: string,
): void {
  if (before === undefined || now === undefined) return;
  const [those, these] = [before, now].map(({ devices }) => devices.map(({ id }) => id).join(", "));
  const [gainBefore, gainNow] = [before, now].map(({ devices }) =>
    devices.map(({ gain = 1 }) => gain),
  );
  if (before.source === now.source && those === these && isDeepStrictEqual(gainBefore, gainNow))
    return;
  throw notResumable(
    path,
    `its joules are of ${before.source} ${those}, these are of ${now.source} ${these}`,
  );
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
