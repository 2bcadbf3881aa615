import { readFileSync } from "node:fs";
import { cpuSecondsOf } from "../src/rails/nvidia-smi/child-cost.ts";

/** What a process had used up to a moment. */
export interface ProcessCost {
  readonly atMs: number;
  /** CPU of all its threads. */
  readonly cpuS: number;
  /** How long its main thread was ready to run and did not get a core. */
  readonly waitS: number;
}

/** What a process has used so far; `NaN` where procfs does not tell. */
export function processCost(pid: number): ProcessCost {
  const [, waitNs] = readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ");
  return {
    atMs: performance.now(),
    cpuS: cpuSecondsOf(pid) ?? Number.NaN,
    waitS: Number(waitNs) / 1e9,
  };
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return (Number(line?.[1]) * 1024) / 1e6;
}

/** Tasks that ran or wanted to, averaged over the last minute, by the machine's own count. */
export function loadAverage(): number {
  return Number(readFileSync("/proc/loadavg", "utf8").split(" ")[0]);
}
