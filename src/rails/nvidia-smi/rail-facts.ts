import { railHead } from "../../energy/rail-head.ts";
import { deviceLabel } from "../judge-window.ts";
import type { RailDevice, RailFacts } from "../source.ts";
import type { Probe } from "./probe.ts";
import { type SensorFacts, sensorFacts } from "./sensor-facts.ts";

/** What the joules of nvidia-smi are of. */
export const COVERS = "the GPU boards: chip, memory and the board's own converters";
export const EXCLUDES = "CPU, system memory, fans of the case, network, losses of the power supply";

/** What is known of the rail that a probe found. */
export function railFacts(found: Probe, periodMs: number): RailFacts {
  const slowest = slowestSensor(found, found.powerField);
  const unmodelled = unmodelledSensors(found);
  return {
    source: "nvidia-smi",
    head: railHead(
      found.devices.map(({ name }) => name ?? ""),
      "gpu_rail",
    ),
    devices: found.devices,
    sensor: slowest.sensor,
    sensorBasis: slowest.basis,
    ...secondColumn(found),
    ...(unmodelled === undefined ? {} : { unmodelled }),
    periodMs,
    fields: found.columns,
    ...(found.driverVersion === undefined ? {} : { driverVersion: found.driverVersion }),
    covers: COVERS,
    excludes: EXCLUDES,
    silentDevices: found.devices.map(({ id }) => id).filter((id) => found.silent.has(id)),
    warnings: [
      ...found.devices
        .filter(({ id }) => found.silent.has(id))
        .map((device) => silence(device, found)),
      ...(found.factsFailure === undefined
        ? []
        : [
            `names, limits and MIG mode of the GPUs are not known (${found.factsFailure}): if one is split by MIG, its watts are not one instance's`,
          ]),
    ],
  };
}

/** Of devices that differ, the slowest sensor decides how long to wait. */
function slowestSensor(found: Probe, field: string): SensorFacts {
  const sensors = found.devices.map(({ name }) => sensorFacts(name, found.driverVersion, field));
  return sensors.toSorted((a, b) => b.sensor.averagingMs - a.sensor.averagingMs)[0]!;
}

function secondColumn(found: Probe): Pick<RailFacts, "second"> {
  const field = "power.draw.instant";
  if (found.powerField === field || !found.columns.includes(field)) return {};
  return { second: { field, sensor: slowestSensor(found, field).sensor } };
}

/** One device of which no estimate can be made leaves the rail without one. */
function unmodelledSensors(found: Probe): string | undefined {
  const why = found.devices.flatMap((device) => {
    const { unmodelled } = sensorFacts(device.name, found.driverVersion, found.powerField);
    return unmodelled === undefined ? [] : [`${deviceLabel(device)}: ${unmodelled}`];
  });
  return why.length === 0 ? undefined : why.join("; ");
}

function silence(device: RailDevice, { powerField, silent }: Probe): string {
  return `${deviceLabel(device)} gives no power reading (${powerField} ${silent.get(device.id)}): no window of this rail can be summed; leave it out with --rail-devices`;
}
