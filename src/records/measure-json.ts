import { clockOriginNs } from "../clock.ts";
import type { MeasureResult } from "./measure-result.ts";
import { softwareVersion } from "./software-version.ts";

/** What `joulemark measure --json` prints, and what its run folder keeps as `record.json`. */
export function measureJson(result: MeasureResult): object {
  const { end, window } = result;
  return {
    schema: "joulemark.measure/1",
    benchmark: "measure",
    software: { name: "joulemark", version: softwareVersion() },
    command: result.command,
    startedAt: result.startedAt,
    exitCode: end.exitCode,
    ...(end.signal === undefined ? {} : { signal: end.signal }),
    ...(end.failure === undefined ? {} : { failure: end.failure }),
    clockOriginNs: String(clockOriginNs),
    startMs: end.startMs,
    endMs: end.endMs,
    commandS: (end.endMs - end.startMs) / 1000,
    ...(result.rail === undefined ? {} : { rail: result.rail }),
    metrics: result.metrics,
    ...(window.state === "measured" ? { byDevice: window.byDevice } : {}),
    validity: result.validity,
    warnings: result.warnings,
    log: result.log,
  };
}
