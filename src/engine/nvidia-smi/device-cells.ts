import type { PowerReading } from "./power-signal.ts";
import type { ScenarioDevice } from "./scenario.ts";

/** What a driver prints for a field that it has, on a GPU that has not. */
export const NOT_AVAILABLE = "[N/A]";

/** The id under which the PCI bus knows a device; made up from its index unless the scenario says. */
export function pciBusId(device: ScenarioDevice): string {
  const bus = (device.index + 1).toString(16).toUpperCase().padStart(2, "0");
  return device.cells?.["pci.bus_id"] ?? `00000000:${bus}:00.0`;
}

/** The cell of a field that does not change while a GPU runs; `undefined` for any other field. */
export function fixedCell(
  device: ScenarioDevice,
  field: string,
  driverVersion: string,
): string | undefined {
  const fixed = device.cells?.[field];
  if (fixed !== undefined) return fixed;
  switch (field) {
    case "index":
      return String(device.index);
    case "uuid":
      return device.uuid;
    case "name":
      return device.name;
    case "driver_version":
      return driverVersion;
    case "pci.bus_id":
      return pciBusId(device);
    case "mig.mode.current":
      return device.migMode ?? NOT_AVAILABLE;
    case "power.limit":
    case "enforced.power.limit":
      return device.powerLimitW?.toFixed(2) ?? NOT_AVAILABLE;
    default:
      return undefined;
  }
}

/** The cell of a field that moves; `[N/A]` for the many that a simulated GPU does not have. */
export function movingCell(field: string, reading: PowerReading): string {
  switch (field) {
    case "timestamp":
      return localTimestamp(new Date());
    case "power.draw":
      return reading.drawText;
    case "power.draw.average":
      return reading.averageText;
    case "power.draw.instant":
      return reading.instantText;
    case "clocks_event_reasons.sw_power_cap":
      return reading.isCapped ? "Active" : "Not Active";
    case "clocks_event_reasons.hw_power_brake_slowdown":
      return "Not Active";
    case "clocks_event_reasons_counters.sw_power_cap":
      return String(reading.cappedUs);
    default:
      return NOT_AVAILABLE;
  }
}

/** Local wall time without a zone, as the real program prints it: `2026/07/03 22:10:46.109`. */
export function localTimestamp(at: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${at.getFullYear()}/${two(at.getMonth() + 1)}/${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${day} ${time}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}
