import { JoulemarkError } from "../../errors.ts";
import { type Capture, type CapturedLine, readCapture } from "./capture.ts";
import { isSameBusId } from "./choose-devices.ts";
import { type Column, headerLine, resolveColumns, withUnit } from "./columns.ts";
import { fixedCell, localTimestamp, NOT_AVAILABLE, pciBusId } from "./device-cells.ts";
import { canonicalField, unitOf } from "./fields.ts";
import type { ReadyScenario } from "./read-scenario.ts";
import type { Playback, ScenarioDevice } from "./scenario.ts";
import { type GpuQuery, powerColumns } from "./simulated-ticks.ts";
import { inTurn, type Row, readRow, type TickSource } from "./tick.ts";

/** Fields that a capture without them does not make unknown: every driver has them. */
const FIELDS_OF_DEVICES: ReadonlySet<string> = new Set([
  "index",
  "uuid",
  "name",
  "driver_version",
  "pci.bus_id",
  "mig.mode.current",
  "power.limit",
  "timestamp",
]);

/**
 * Rows of a capture, answered column by column.
 *
 * @throws {SmiRefusal} for a field that neither the capture nor the devices have.
 * @throws {JoulemarkError} `bad_option` for a capture that cannot be read or matched to devices.
 */
export function playbackTicks(
  scenario: ReadyScenario,
  playback: Playback,
  query: GpuQuery,
): TickSource {
  const capture = readCapture(playback);
  const columns = resolveColumns(query.fields, {
    canonical: canonicalField,
    isKnown: (field) =>
      capture.columnByField.has(field) ||
      FIELDS_OF_DEVICES.has(field) ||
      scenario.devices.some((device) => device.cells?.[field] !== undefined),
    unitOf: (field) => capture.unitByField.get(field) ?? unitOf(field),
    refused: scenario.refusedFields,
  });
  const header = headerLine(columns);
  const toRow = (line: CapturedLine, position: number): Row | undefined => {
    if (line.kind === "header") return { cells: [], verbatim: header };
    const { hasNoEnd } = line;
    if (line.kind !== "row") return { cells: [], verbatim: line.text, hasNoEnd };
    const device = deviceOf(line, position, capture, scenario.devices);
    if (!query.devices.includes(device)) return undefined;
    const cells = columns.map((column) =>
      cellOf(column, line, device, { capture, scenario, hasUnits: query.hasUnits }),
    );
    return { deviceIndex: device.index, cells, hasNoEnd };
  };
  const ticks = groupInTicks(capture.lines, playback).map((lines) =>
    lines.flatMap((line, i) => {
      const row = toRow(line, lines.slice(0, i).filter(countsAsRow).length);
      return row ? [readRow(row)] : [];
    }),
  );
  return {
    header,
    powerColumns: powerColumns(columns),
    encoding: "utf8",
    eol: capture.hasCrlf ? "\r\n" : "\n",
    nextTick: inTurn(ticks, playback.loop === true),
  };
}

/** Blank lines and repeated headers ride along with the row behind them, or with the last one. */
function groupInTicks(lines: readonly CapturedLine[], playback: Playback): CapturedLine[][] {
  const { rowsPerTick = 1, skipRows = 0 } = playback;
  const ticks: CapturedLine[][] = [[]];
  let rows = 0;
  for (const line of lines) {
    const isRow = countsAsRow(line);
    if (isRow) rows++;
    if (rows <= skipRows) continue;
    ticks.at(-1)!.push(line);
    if (isRow && (rows - skipRows) % rowsPerTick === 0) ticks.push([]);
  }
  const last = ticks.pop()!;
  if (last.some(countsAsRow)) ticks.push(last);
  else ticks.at(-1)?.push(...last);
  return ticks;
}

function countsAsRow({ kind }: CapturedLine): boolean {
  return kind === "row" || kind === "damaged";
}

function deviceOf(
  line: CapturedLine,
  position: number,
  { columnByField }: Capture,
  devices: readonly ScenarioDevice[],
): ScenarioDevice {
  const captured = (field: string) => {
    const column = columnByField.get(field);
    return column === undefined ? undefined : line.cells[column];
  };
  const index = captured("index");
  const uuid = captured("uuid");
  const busId = captured("pci.bus_id");
  const device = devices.find((candidate, i) => {
    if (index !== undefined) return index === String(candidate.index);
    if (uuid !== undefined) return uuid === candidate.uuid;
    if (busId !== undefined) return isSameBusId(busId, pciBusId(candidate));
    return i === position;
  });
  if (device) return device;
  throw new JoulemarkError("bad_option", `no device of the scenario is that of "${line.text}"`);
}

function cellOf(
  { field, unit }: Column,
  line: CapturedLine,
  device: ScenarioDevice,
  context: { capture: Capture; scenario: ReadyScenario; hasUnits: boolean },
): string {
  const column = context.capture.columnByField.get(field);
  const captured = column === undefined ? undefined : line.cells[column];
  const ofDevice = () =>
    field === "timestamp"
      ? localTimestamp(new Date())
      : fixedCell(device, field, context.scenario.driverVersion);
  const cell = device.cells?.[field] ?? captured ?? ofDevice() ?? NOT_AVAILABLE;
  return withUnit(cell, unit, context.hasUnits);
}
