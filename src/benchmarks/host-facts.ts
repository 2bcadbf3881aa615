import { cpus, hostname, release, totalmem, type } from "node:os";
import type { HostFacts } from "../records/run-header.ts";

/** The machine that this program runs on. */
export function hostFacts(): HostFacts {
  const all = cpus();
  return {
    hostname: hostname(),
    os: `${type()} ${release()}`,
    cpu: all[0]?.model.trim() || "unknown",
    cpuCount: all.length,
    memoryBytes: totalmem(),
    nodeVersion: process.version,
  };
}
