import { aboveIdleJ } from "../energy/above-idle.ts";
import { gainWords } from "../rails/rail-gain.ts";
import { sensorWords } from "../rails/rail-line.ts";
import type { MeasureResult } from "../records/measure-result.ts";
import { type FactRow, factsTable, type Look } from "./facts-table.ts";
import { joules, percent, seconds, watts } from "./figures.ts";

/** What `joulemark measure` shows people: the figures, or "—" and why. */
export function measureTable(result: MeasureResult, look: Look): string {
  const { command, end, rail } = result;
  const simulated = rail?.head === "sim_rail" ? "SIMULATED · " : "";
  const how = end.signal === undefined ? `exit code ${end.exitCode}` : `killed by ${end.signal}`;
  return factsTable(
    `${simulated}joulemark measure · ${command} · ${how}`,
    [...energyRows(result), ...costRows(result), ...scopeRows(result), ...reasonRows(result)],
    look,
  );
}

function energyRows({ window, idle, end, validity }: MeasureResult): readonly FactRow[] {
  const seconds_: FactRow = ["command ran", seconds((end.endMs - end.startMs) / 1000)];
  if (window.state === "refused") return [["energy", "—"], seconds_];
  const perS = window.samples / window.windowS;
  const noIdle = validity.some(({ refuses }) => refuses === "above_idle");
  return [
    ["energy", joules(window.energyJ)],
    [
      "above idle",
      idle
        ? `${joules(aboveIdleJ(window, idle))} (idle ${watts(idle.meanPowerW)} over ${seconds(idle.windowS)})`
        : `—${noIdle ? " (see below)" : ""}`,
    ],
    ["mean power", watts(window.meanPowerW)],
    ["max power", watts(window.maxPowerW)],
    seconds_,
    ["readings", `${window.samples} (${perS.toFixed(1)} per s)`],
    ["power cap", shareWords(window.swPowerCapFrac)],
    ["power brake", shareWords(window.hwPowerBrakeFrac)],
    ...deviceRows(window.byDevice),
  ];
}

function deviceRows(
  byDevice: Readonly<Record<string, { energyJ: number; meanPowerW: number }>>,
): readonly FactRow[] {
  const devices = Object.entries(byDevice);
  if (devices.length < 2) return [];
  return [
    [
      "by device",
      devices.map(([id, own]) => `${joules(own.energyJ)}, mean ${watts(own.meanPowerW)}  ${id}`),
    ],
  ];
}

function costRows({ cost }: MeasureResult): readonly FactRow[] {
  if (cost === undefined) return [];
  const reader =
    cost.readerCpuS === undefined ? "" : `; reader ${cost.readerCpuS.toFixed(2)} s CPU`;
  const cpu =
    cost.cpuS === undefined
      ? "CPU time not known"
      : `${cost.cpuS.toFixed(2)} s CPU in ${seconds(cost.wallS)} (${percent(cost.cpuS / cost.wallS, 2)} of a core)`;
  const rejected =
    cost.rejectedLines === 0
      ? ""
      : `, ${cost.rejectedLines} ${cost.rejectedLines === 1 ? "line" : "lines"} rejected`;
  return [["sampler's cost", `${cpu}${reader}${rejected}`]];
}

function scopeRows({ rail }: MeasureResult): readonly FactRow[] {
  if (rail === undefined) return [];
  const gain = gainWords(rail.devices);
  return [
    ["rail", `${rail.source}, ${sensorWords(rail)}`],
    ...(gain === undefined ? [] : [["gain", gain] as const]),
    ["in the number", rail.covers],
    ["not in it", rail.excludes],
  ];
}

function reasonRows({ validity, warnings }: MeasureResult): readonly FactRow[] {
  const refused = validity.filter(({ refuses }) => refuses !== "estimate");
  return [
    ...(refused.length === 0
      ? []
      : [["refused", refused.map(({ reason, detail }) => `${reason}: ${detail}`)] as const]),
    ...(warnings.length === 0 ? [] : [["warnings", warnings] as const]),
  ];
}

function shareWords(share: number | undefined): string {
  return share === undefined ? "— (not reported)" : `in ${percent(share)} of the readings`;
}
