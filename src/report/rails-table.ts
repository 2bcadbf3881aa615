import type { Sensor } from "../energy/sensor.ts";
import { deviceLabel } from "../rails/judge-window.ts";
import type { RailReport, ReadableRail } from "../rails/list-rails.ts";
import { type FactRow, factsTable, type Look } from "./facts-table.ts";
import { watts } from "./figures.ts";

/** What `joulemark rails` shows people: of each source whether it can be read, and why not. */
export function railsTable(reports: readonly RailReport[], look: Look): string {
  return reports.map((report) => oneRail(report, look)).join("\n\n");
}

function oneRail(report: RailReport, look: Look): string {
  if (report.state === "unreadable")
    return factsTable(
      `${report.source}: not readable here`,
      [
        ["why", report.why],
        ["remedy", report.remedy],
        ["would cover", report.covers],
        ["not in it", report.excludes],
      ],
      look,
    );
  const { facts } = report;
  const simulated = facts.head === "sim_rail" ? " (SIMULATED)" : "";
  const { sensor, sensorBasis } = facts;
  return factsTable(
    `${report.source}: readable${simulated}`,
    [
      ["devices", deviceLines(report)],
      ["covers", facts.covers],
      ["not in it", facts.excludes],
      ["power field", facts.fields[0] ?? ""],
      [
        "averaging",
        facts.unmodelled === undefined
          ? `${meanWords(sensor)} (${sensorBasis})`
          : `no plain mean, so no estimate of energy: ${facts.unmodelled}`,
      ],
      ...(facts.second === undefined
        ? []
        : [[facts.second.field, meanWords(facts.second.sensor)] satisfies FactRow]),
      ["columns read", facts.fields.join(", ")],
      ["driver", facts.driverVersion ?? "— (not told)"],
      ...(facts.warnings.length === 0 ? [] : [["warnings", facts.warnings] satisfies FactRow]),
    ],
    look,
  );
}

function meanWords({ averagingMs, updateMs }: Sensor): string {
  return `each reading is the mean of the last ${averagingMs} ms, renewed every ${updateMs} ms`;
}

function deviceLines({ facts, readings }: ReadableRail): readonly string[] {
  return facts.devices.map((device) => {
    const reading = readings.find((sample) => sample.device === device.id);
    const now = reading === undefined ? "no reading came" : `${watts(reading.powerW)} now`;
    const limit = device.powerLimitW === undefined ? "" : `, limit ${watts(device.powerLimitW)}`;
    const mig = device.isPartitioned ? ", split by MIG: not attributable to one server" : "";
    return `${deviceLabel(device)}: ${now}${limit}${mig}  ${device.id}`;
  });
}
