/** Fields that a `--query-gpu` knows, with the unit that its header shows ("" where there is none). */
const UNIT_BY_FIELD: Readonly<Record<string, string>> = {
  timestamp: "",
  driver_version: "",
  count: "",
  index: "",
  name: "",
  serial: "",
  uuid: "",
  "pci.bus_id": "",
  pstate: "",
  "fan.speed": "%",
  "memory.total": "MiB",
  "memory.used": "MiB",
  "memory.free": "MiB",
  "utilization.gpu": "%",
  "utilization.memory": "%",
  "temperature.gpu": "",
  "temperature.memory": "",
  "clocks.current.graphics": "MHz",
  "clocks.current.sm": "MHz",
  "clocks.current.memory": "MHz",
  "mig.mode.current": "",
  "power.draw": "W",
  "power.draw.average": "W",
  "power.draw.instant": "W",
  "power.limit": "W",
  "enforced.power.limit": "W",
  "power.default_limit": "W",
  "power.min_limit": "W",
  "power.max_limit": "W",
  "module.power.draw.average": "W",
  "module.power.draw.instant": "W",
  "module.power.limit": "W",
  "clocks_event_reasons.active": "",
  "clocks_event_reasons.gpu_idle": "",
  "clocks_event_reasons.sw_power_cap": "",
  "clocks_event_reasons.hw_slowdown": "",
  "clocks_event_reasons.hw_thermal_slowdown": "",
  "clocks_event_reasons.hw_power_brake_slowdown": "",
  "clocks_event_reasons.sw_thermal_slowdown": "",
  "clocks_event_reasons_counters.sw_power_cap": "us",
  "clocks_event_reasons_counters.hw_power_brake_slowdown": "us",
};

const FIELD_BY_ALIAS: Readonly<Record<string, string>> = {
  gpu_name: "name",
  gpu_uuid: "uuid",
  gpu_bus_id: "pci.bus_id",
  "clocks.gr": "clocks.current.graphics",
  "clocks.sm": "clocks.current.sm",
  "clocks.mem": "clocks.current.memory",
};

/** The name under which a field is printed: the newest one, whichever was asked. */
export function canonicalField(asked: string): string {
  const renamed = asked.replace(/^clocks_throttle_reasons/, "clocks_event_reasons");
  return FIELD_BY_ALIAS[renamed] ?? renamed;
}

export function isKnownField(field: string): boolean {
  return Object.hasOwn(UNIT_BY_FIELD, field);
}

/** @returns `""` for a field without a unit, and for one that is not known. */
export function unitOf(field: string): string {
  return isKnownField(field) ? (UNIT_BY_FIELD[field] ?? "") : "";
}
