import { clockOriginNs } from "../clock.ts";
import type { EstimateMethod } from "../energy/energy-estimate.ts";
import type { RailWindow } from "../rails/source.ts";
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
    ...methodOf(window),
    ...(window.state === "measured" ? { byDevice: window.byDevice } : {}),
    validity: result.validity,
    warnings: result.warnings,
    log: result.log,
  };
}

/** How the energy that the command really took was estimated, where it was. */
function methodOf(window: RailWindow): { readonly energyMethod?: EstimateMethod } {
  const method = window.state === "measured" ? window.estimate?.method : undefined;
  return method === undefined ? {} : { energyMethod: method };
}
