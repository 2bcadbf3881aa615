import { aboveIdleJ } from "../energy/above-idle.ts";
import type { EnergyEstimate } from "../energy/energy-estimate.ts";
import type { EnergyWindow } from "../energy/energy-window.ts";
import type { EstimatedWindow } from "../energy/estimated-window.ts";
import { gainWords } from "../rails/rail-gain.ts";
import { sensorWords } from "../rails/rail-line.ts";
import type { MeasureResult } from "../records/measure-result.ts";
import { type FactRow, factsTable, type Look } from "./facts-table.ts";
import { signedPercent, withInterval } from "./figure.ts";
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
    ...joulesRows(window),
    ["above idle", idle ? aboveIdleWords(window, idle) : `—${noIdle ? " (see below)" : ""}`],
    ["mean power", watts(window.meanPowerW)],
    ["max power", watts(window.maxPowerW)],
    seconds_,
    ["readings", `${window.samples} (${perS.toFixed(1)} per s)`],
    ["power cap", shareWords(window.swPowerCapFrac)],
    ["power brake", shareWords(window.hwPowerBrakeFrac)],
    ...deviceRows(window.byDevice),
  ];
}

/** The estimate and the plain integral, each under its name; the second column beside the first. */
function joulesRows(window: EstimatedWindow): readonly FactRow[] {
  const { estimate, second, energyJ } = window;
  if (estimate === undefined)
    return [["energy", `${joules(energyJ)} by the plain integral; no estimate (see below)`]];
  const apart = second && signedPercent((second.estimate.energyJ / estimate.energyJ - 1) * 100);
  const beside =
    second === undefined ? "" : ` · ${second.field} ${joules(second.estimate.energyJ)}, ${apart} %`;
  return [
    ["energy", `${joulesOf(estimate)}${beside}`],
    ["plain integral", `${joules(energyJ)}, of the readings as they came`],
  ];
}

function aboveIdleWords(window: EstimatedWindow, idle: EnergyWindow): string {
  const baseline = `idle ${watts(idle.meanPowerW)} over ${seconds(idle.windowS)}`;
  const { estimate } = window;
  if (estimate === undefined)
    return `${joules(aboveIdleJ(window, idle))} by the plain integral (${baseline})`;
  const idleJ = idle.meanPowerW * window.windowS;
  const { energyJ, loJ, hiJ, method } = estimate;
  const above = { energyJ: energyJ - idleJ, loJ: loJ - idleJ, hiJ: hiJ - idleJ, method };
  return `${joulesOf(above)}, ${baseline}`;
}

/** An estimate with its interval: no digit that the interval makes worthless. */
function joulesOf({ energyJ, loJ, hiJ }: EnergyEstimate): string {
  const digits = hiJ - loJ >= 10 ? 0 : hiJ - loJ >= 1 ? 1 : 2;
  return `${withInterval(energyJ, { lo: loJ, hi: hiJ }, digits).replace(" (", " J (")}`;
}

function deviceRows(byDevice: Readonly<Record<string, EstimatedWindow>>): readonly FactRow[] {
  const devices = Object.entries(byDevice);
  if (devices.length < 2) return [];
  return [
    [
      "by device",
      devices.map(
        ([id, { energyJ, meanPowerW, estimate }]) =>
          `${estimate ? joulesOf(estimate) : joules(energyJ)}, mean ${watts(meanPowerW)}  ${id}`,
      ),
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
  return [
    ...(validity.length === 0
      ? []
      : [["refused", validity.map(({ reason, detail }) => `${reason}: ${detail}`)] as const]),
    ...(warnings.length === 0 ? [] : [["warnings", warnings] as const]),
  ];
}

function shareWords(share: number | undefined): string {
  return share === undefined ? "— (not reported)" : `in ${percent(share)} of the readings`;
}
