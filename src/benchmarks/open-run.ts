import { rmdir } from "node:fs/promises";
import { clockOriginNs, nowMs } from "../clock.ts";
import { JoulemarkError } from "../errors.ts";
import { nextSegment } from "../records/next-segment.ts";
import { readHeader } from "../records/read-header.ts";
import { rederive } from "../records/rederive.ts";
import { createRunFolder, openRunFolder, type RunFolder } from "../records/run-folder.ts";
import type { CellPlan, RunHeader } from "../records/run-header.ts";
import type { RunRecord } from "../records/run-record.ts";
import { softwareVersion } from "../records/software-version.ts";
import type { Target } from "../target/target.ts";
import type { BenchmarkOptions } from "./benchmark-options.ts";
import type { BenchmarkSpec } from "./benchmark-run.ts";
import { hostFacts } from "./host-facts.ts";
import { checkResumable, checkSameTarget, missingCells } from "./resume.ts";
import type { RunFacts } from "./run-memory.ts";

/** A run that may begin, or go on. */
export interface OpenedRun {
  readonly folder: RunFolder;
  readonly facts: RunFacts;
  /** Those that are still to be measured. */
  readonly cells: readonly CellPlan[];
  readonly segment: number;
}

/** @throws {JoulemarkError} `bad_option` where the run cannot be kept, or is not one that can go on. */
export async function openRun(
  spec: Pick<BenchmarkSpec, "benchmark" | "cells">,
  options: BenchmarkOptions,
  target: Target,
): Promise<OpenedRun> {
  if (options.resume !== undefined) return resumedRun(options.resume, spec, target);
  const header: RunHeader = {
    schema: "joulemark.run/1",
    benchmark: spec.benchmark,
    software: { name: "joulemark", version: softwareVersion() },
    startedAt: new Date().toISOString(),
    startedAtMs: nowMs(),
    clockOriginNs: String(clockOriginNs),
    parameters: options.parameters,
    target: target.toJSON(),
    host: hostFacts(),
    tokenTimes: "differences_us",
    cells: spec.cells,
  };
  const folder = await kept(`--out ${options.out}`, () => newFolder(options.out, header));
  return { folder, facts: { header }, cells: spec.cells, segment: 0 };
}

async function resumedRun(
  path: string,
  spec: Pick<BenchmarkSpec, "benchmark" | "cells">,
  target: Target,
): Promise<OpenedRun> {
  const before = await kept(`--resume ${path}`, () => rederive(path));
  checkResumable(before, spec, path);
  checkSameTarget(before, target.toJSON(), path);
  const header = await readHeader(path);
  const folder = await openRunFolder(path);
  const segment = await nextSegment(path);
  return { folder, facts: { header, before }, cells: missingCells(before, spec.cells), segment };
}

/**
 * A run that came to its end and of which nothing is missing; `undefined` for any other.
 *
 * @throws {JoulemarkError} `bad_option` where it is another run than this one.
 */
export async function finishedRun(
  path: string,
  spec: Pick<BenchmarkSpec, "benchmark" | "cells">,
): Promise<{ readonly header: RunHeader; readonly record: RunRecord } | undefined> {
  const record = await kept(`--resume ${path}`, () => rederive(path));
  checkResumable(record, spec, path);
  const isWhole = !record.interrupted && missingCells(record, spec.cells).length === 0;
  return isWhole ? { header: await readHeader(path), record } : undefined;
}

async function newFolder(out: string, header: RunHeader): Promise<RunFolder> {
  const folder = await createRunFolder(out, header.benchmark);
  try {
    await folder.write("run.json", header);
    return folder;
  } catch (error) {
    await folder.close();
    await rmdir(folder.path).catch(() => undefined);
    throw error;
  }
}

/** A run that cannot be kept is not begun. */
async function kept<T>(flag: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    if (cause instanceof JoulemarkError && cause.code !== "not_written") throw cause;
    const { message } = cause as Error;
    const text = `${flag}: ${message}; name a folder that can be written`;
    throw new JoulemarkError("bad_option", text, { cause });
  }
}
