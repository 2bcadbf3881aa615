import type { SensorProbe } from "../rails/sensor-probe.ts";

/** What `joulemark rails --probe --json` prints. */
export interface ProbeRecord extends SensorProbe {
  readonly schema: "joulemark.probe/1";
  readonly source: string;
}

export function probeJson(probe: SensorProbe): ProbeRecord {
  return { schema: "joulemark.probe/1", source: probe.facts.source, ...probe };
}
