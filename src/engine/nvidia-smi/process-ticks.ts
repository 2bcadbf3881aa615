import { tenantEnergyJ } from "../power/tenant.ts";
import type { ReadyScenario } from "./read-scenario.ts";
import { SmiRefusal } from "./refusal.ts";
import type { ComputeApp, ScenarioDevice, ScenarioTenant } from "./scenario.ts";
import { type Row, readRow, type TickSource } from "./tick.ts";

/** A driver looks back so far to say how much a process worked. */
const LOOK_BACK_NS = 1e9;

/** Drivers from here on have two columns more. */
const WIDE_DRIVER = 530;

/** Headings, the second line of them, and how wide each column is. */
const OLD_COLUMNS = [
  ["gpu", "Idx", 5],
  ["pid", "#", 11],
  ["type", "C/G", 6],
  ["sm", "%", 6],
  ["mem", "%", 6],
  ["enc", "%", 6],
  ["dec", "%", 6],
] as const;
const COLUMNS = [...OLD_COLUMNS, ["jpg", "%", 6], ["ofa", "%", 6]] as const;

type Columns = readonly (readonly [string, string, number])[];

/**
 * The table of `pmon`: how much each process works on the GPUs asked.
 *
 * @throws {SmiRefusal} on a GPU that keeps no account of its processes.
 */
export function processTicks(
  { driverVersion, computeApps = [], refusedFields }: ReadyScenario,
  devices: readonly ScenarioDevice[],
): TickSource {
  if (refusedFields.includes("pmon")) {
    throw new SmiRefusal(3, "Not supported on the device(s)\nFailed to process command line.\n");
  }
  const columns: Columns = Number.parseInt(driverVersion, 10) < WIDE_DRIVER ? OLD_COLUMNS : COLUMNS;
  const rowOf = (device: ScenarioDevice, app?: ComputeApp): Row => {
    const name = app?.processName?.split("/").at(-1) ?? "-";
    const cells = [device.index, app?.pid ?? "-", app ? "C" : "-", app ? workOf(app, device) : "-"];
    return { deviceIndex: device.index, cells: [], verbatim: tableLine(columns, cells, name) };
  };
  return {
    header: [
      `#${tableLine(
        columns,
        columns.map(([heading]) => heading),
        "command",
      ).slice(1)}`,
      `#${tableLine(
        columns,
        columns.map(([, second]) => second),
        "name",
      ).slice(1)}`,
    ].join("\n"),
    powerColumns: [],
    encoding: "utf8",
    eol: "\n",
    nextTick: () =>
      devices.flatMap((device) => {
        const apps = computeApps.filter(({ gpuUuid }) => gpuUuid === device.uuid);
        const rows = apps.map((app) => rowOf(device, app));
        return (rows.length > 0 ? rows : [rowOf(device)]).map(readRow);
      }),
  };
}

/** What is not given is `-`, as in all columns but the first of a real table. */
function tableLine(columns: Columns, cells: readonly (string | number)[], name: string): string {
  const padded = columns.map(([, , width], i) => String(cells[i] ?? "-").padStart(width));
  return `${padded.join(" ")}    ${name.padEnd(15)}`;
}

function workOf({ pid, smPercent }: ComputeApp, { tenants = [] }: ScenarioDevice): string {
  if (smPercent !== undefined) return String(smPercent);
  const own = tenants.filter((tenant) => tenant.pid === pid);
  return own.length === 0 ? "-" : String(Math.max(...own.map(tenantPercent)));
}

/** Of its highest power, as if work were all that draws it. */
function tenantPercent({ load, originNs }: ScenarioTenant): number {
  const mostW = load.kind === "constant" ? load.powerW : Math.max(load.lowW, load.highW);
  if (mostW === 0) return 0;
  const untilNs = Number(process.hrtime.bigint() - BigInt(originNs));
  const meanW = (tenantEnergyJ(load, untilNs - LOOK_BACK_NS, untilNs) / LOOK_BACK_NS) * 1e9;
  return Math.round((100 * meanW) / mostW);
}
