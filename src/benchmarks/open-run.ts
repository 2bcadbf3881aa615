import { clockOriginNs, nowMs } from "../clock.ts";
import { nextSegment } from "../records/next-segment.ts";
import { readHeader } from "../records/read-header.ts";
import { rederive } from "../records/rederive.ts";
import { createRunFolder, openRunFolder, type RunFolder } from "../records/run-folder.ts";
import type { CellPlan, RunHeader } from "../records/run-header.ts";
import { softwareVersion } from "../records/software-version.ts";
import type { BenchmarkOptions } from "./benchmark-options.ts";
import type { BenchmarkSpec } from "./benchmark-run.ts";
import { hostFacts } from "./host-facts.ts";
import type { PreparedTarget } from "./prepare-target.ts";
import { checkResumable, missingCells } from "./resume.ts";

/** The folder that a run writes to, and what it is to do. */
export interface OpenedRun {
  readonly folder: RunFolder;
  readonly header: RunHeader;
  /** Those that are still to be measured. */
  readonly cells: readonly CellPlan[];
  readonly segment: number;
}

/** Makes the folder of a new run, or opens that of one that is to go on. */
export async function openRun(
  spec: Pick<BenchmarkSpec, "benchmark" | "cells">,
  options: BenchmarkOptions,
  { target }: Pick<PreparedTarget, "target">,
): Promise<OpenedRun> {
  if (options.resume !== undefined) {
    const record = await rederive(options.resume);
    const { model } = target;
    checkResumable(record, { ...spec, ...(model === undefined ? {} : { model }) }, options.resume);
    const header = await readHeader(options.resume);
    const folder = await openRunFolder(options.resume);
    const segment = await nextSegment(options.resume);
    return { folder, header, cells: missingCells(record, spec.cells), segment };
  }
  const folder = await createRunFolder(options.out, spec.benchmark);
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
  await folder.write("run.json", header);
  return { folder, header, cells: spec.cells, segment: 0 };
}
