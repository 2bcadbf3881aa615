import type { RunRecord } from "../records/run-record.ts";
import { railMetric } from "../report/cell-figures.ts";

/** 0 measured (and passed), 1 failed, 4 inconclusive, 130 interrupted. */
export function exitCodeOf(record: RunRecord, isEnergyRequired: boolean): number {
  const { cells, interrupted, verdict } = record;
  if (interrupted) return 130;
  const answered = cells.filter(({ counts }) => counts !== undefined && counts.ok > 0);
  if (answered.length === 0 || verdict?.verdict === "fail") return 1;
  if (verdict?.verdict === "inconclusive") return 4;
  return isEnergyRequired && cells.some((cell) => !hasEnergy(cell.metrics)) ? 4 : 0;
}

function hasEnergy(metrics: RunRecord["metrics"]): boolean {
  return railMetric(metrics, "energy_j") !== undefined;
}

/** Ends with a code; 0 leaves it open, since the result may still turn out not to be written. */
export function endWith(exitCode: number): void {
  if (exitCode !== 0) process.exitCode = exitCode;
}
