import { type Column, headerLine, resolveColumns, withUnit } from "./columns.ts";
import { fixedCell, movingCell } from "./device-cells.ts";
import { canonicalField, isKnownField, unitOf } from "./fields.ts";
import { openPowerSignal, type PowerSignal } from "./power-signal.ts";
import type { ReadyScenario } from "./read-scenario.ts";
import type { ScenarioDevice } from "./scenario.ts";
import type { PendingRow, Row, TickSource } from "./tick.ts";

/** What a `--query-gpu` asks: which fields of which GPUs, and how they are written. */
export interface GpuQuery {
  readonly fields: readonly string[];
  readonly devices: readonly ScenarioDevice[];
  readonly hasUnits: boolean;
}

/**
 * Rows of GPUs whose power follows their scenario.
 *
 * @param nowMs - milliseconds since the process started, on the monotonic clock.
 * @throws {SmiRefusal} for a field that this driver does not know.
 */
export function simulatedTicks(
  scenario: ReadyScenario,
  { fields, devices, hasUnits }: GpuQuery,
  nowMs: () => number,
): TickSource {
  const columns = resolveColumns(fields, {
    canonical: canonicalField,
    isKnown: isKnownField,
    unitOf,
    refused: scenario.refusedFields,
  });
  const originNs = process.hrtime.bigint() - BigInt(Math.round(nowMs() * 1e6));
  const signals = devices.map((device) =>
    openPowerSignal(device, { originNs, seed: scenario.timing.seed }),
  );
  const cells = (device: ScenarioDevice, signal: PowerSignal): string[] => {
    const reading = signal.readAt(nowMs());
    return columns.map(({ field, unit }) => {
      const cell = fixedCell(device, field, scenario.driverVersion) ?? movingCell(field, reading);
      return withUnit(cell, unit, hasUnits);
    });
  };
  const pending = devices.map((device, i): PendingRow => {
    const signal = signals[i]!;
    return {
      isReadAtWrite: signal.isReadAtWrite,
      read: (): Row => ({ deviceIndex: device.index, cells: cells(device, signal) }),
    };
  });
  return {
    header: headerLine(columns),
    powerColumns: powerColumns(columns),
    encoding: "utf8",
    eol: "\n",
    nextTick: () => pending,
  };
}

/** Positions of the columns that show a sensor's watts, limits not among them. */
export function powerColumns(columns: readonly Column[]): number[] {
  return columns.flatMap(({ field }, i) => (field.includes("power.draw") ? [i] : []));
}
