import { headerLine, resolveColumns, withUnit } from "./columns.ts";
import { NOT_AVAILABLE, pciBusId } from "./device-cells.ts";
import type { ReadyScenario } from "./read-scenario.ts";
import type { ComputeApp, ScenarioDevice } from "./scenario.ts";
import type { GpuQuery } from "./simulated-ticks.ts";
import { type Row, readRow, type TickSource } from "./tick.ts";

const MEMORY = "used_gpu_memory";
const APP_FIELDS = ["gpu_uuid", "gpu_name", "gpu_bus_id", "pid", "process_name", MEMORY];
const APP_FIELD_BY_ALIAS: Readonly<Record<string, string>> = {
  name: "process_name",
  used_memory: MEMORY,
};

/**
 * Rows of `--query-compute-apps`: the processes that hold the GPUs asked.
 *
 * @throws {SmiRefusal} for a field that this driver does not know.
 */
export function computeAppTicks(scenario: ReadyScenario, query: GpuQuery): TickSource {
  const columns = resolveColumns(query.fields, {
    canonical: (asked) => APP_FIELD_BY_ALIAS[asked] ?? asked,
    isKnown: (field) => APP_FIELDS.includes(field),
    unitOf: (field) => (field === MEMORY ? "MiB" : ""),
    refused: scenario.refusedFields,
  });
  const rows = (scenario.computeApps ?? []).flatMap((app): Row[] => {
    const device = query.devices.find(({ uuid }) => uuid === app.gpuUuid);
    if (!device) return [];
    const cells = columns.map(({ field, unit }) =>
      withUnit(appCell(app, device, field), unit, query.hasUnits),
    );
    return [{ deviceIndex: device.index, cells }];
  });
  return listing(headerLine(columns), rows);
}

/** The lines of `-L`. */
export function gpuList(devices: readonly ScenarioDevice[]): TickSource {
  const rows = devices.map((device): Row => {
    const verbatim = `GPU ${device.index}: ${device.name} (UUID: ${device.uuid})`;
    return { deviceIndex: device.index, cells: [], verbatim };
  });
  return listing(undefined, rows);
}

function appCell(app: ComputeApp, device: ScenarioDevice, field: string): string {
  switch (field) {
    case "gpu_uuid":
      return app.gpuUuid;
    case "gpu_name":
      return device.name;
    case "gpu_bus_id":
      return pciBusId(device);
    case "pid":
      return String(app.pid);
    case "process_name":
      return app.processName ?? NOT_AVAILABLE;
    default:
      return app.usedMemoryMib === undefined ? NOT_AVAILABLE : String(app.usedMemoryMib);
  }
}

function listing(header: string | undefined, rows: readonly Row[]): TickSource {
  const pending = rows.map(readRow);
  return { header, powerColumns: [], encoding: "utf8", eol: "\n", nextTick: () => pending };
}
