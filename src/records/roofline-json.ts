import { cpus } from "node:os";
import type { RooflineRow } from "../benchmarks/roofline.ts";
import { softwareVersion } from "./software-version.ts";

/** What `joulemark roofline --json` prints. */
export function rooflineJson(rows: readonly RooflineRow[], isInterrupted: boolean): object {
  return {
    schema: "joulemark.roofline/1",
    benchmark: "roofline",
    software: { name: "joulemark", version: softwareVersion() },
    host: { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model },
    ...(isInterrupted ? { interrupted: true } : {}),
    rows,
  };
}
