import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("../../../cases/power/", import.meta.url));

export const AVERAGE = "power.draw.average";
export const INSTANT = "power.draw.instant";
export const DRAW = "power.draw";
export const CAP = "clocks_event_reasons.sw_power_cap";
export const BRAKE = "clocks_event_reasons.hw_power_brake_slowdown";

/** The three columns of the reference, which the short captures have. */
export const RAIL_COLUMNS: readonly string[] = [AVERAGE, CAP, BRAKE];

/** Every captured answer of nvidia-smi among the fixtures. */
export const CAPTURES: readonly string[] = readdirSync(FOLDER).filter((name) =>
  name.startsWith("nvidia-smi-"),
);

/**
 * Columns of the captures that do not name them. Where the source did not keep the query, their
 * order follows from the cells; what is of no use here has a name of its own.
 */
const UNNAMED: Readonly<Record<string, readonly string[]>> = {
  "nvidia-smi-gb200-rail-4gpu-tick-noheader.csv": [DRAW, CAP, BRAKE],
  "nvidia-smi-rtx2080s-driver595-fallback-powerdraw.csv": [DRAW, CAP, BRAKE],
  "nvidia-smi-legacy-not-supported.csv": [DRAW],
  "nvidia-smi-gb10-temp-power-clocks.csv": [
    "temperature.gpu",
    DRAW,
    "clocks.current.graphics",
    "clocks.current.memory",
    "utilization.gpu",
  ],
  "nvidia-smi-gtx1650-flags-nounits.csv": [
    "name",
    "temperature.gpu",
    "clocks.current.graphics",
    "clocks.max.graphics",
    DRAW,
    "power.limit",
    "utilization.gpu",
    CAP,
    "clocks_event_reasons.hw_slowdown",
    "clocks_event_reasons.hw_thermal_slowdown",
    BRAKE,
    "clocks_event_reasons.sw_thermal_slowdown",
  ],
  "nvidia-smi-rtx4090-windows-crlf.csv": [
    "temperature.gpu",
    "utilization.gpu",
    DRAW,
    "power.limit",
    "clocks.current.graphics",
    "clocks.max.graphics",
    CAP,
    "clocks_event_reasons.hw_slowdown",
    BRAKE,
    "clocks_event_reasons.sw_thermal_slowdown",
    "index",
    "name",
    "uuid",
  ],
  "nvidia-smi-gtx1080ti-8gpu-unknown-error-withunits.csv": [
    "name",
    "utilization.gpu",
    "utilization.memory",
    "temperature.gpu",
    DRAW,
    "power.limit",
    "fan.speed",
    "pstate",
    "clocks.current.graphics",
    "clocks.current.memory",
    "power.max_limit",
    "power.default_limit",
  ],
  // Which of the unavailable ones is the power, the source does not say.
  "nvidia-smi-rtx3080-many-na.csv": [
    ...["timestamp", "index", "name", "uuid", "na1", "na2", "na3"],
    ...["memory.total", "memory.free", "memory.used", "na4", "na5", "utilization.gpu"],
    ...["temperature.gpu", "compute_mode", DRAW, AVERAGE, INSTANT, "na6", "na7", "pstate"],
    ...["na8", "na9", "na10", "na11", "na12", "na13"],
  ],
  "nvidia-smi-stream-concatenated-row.csv": ["timestamp", "index", DRAW, "temperature.gpu"],
  "nvidia-smi-stream-mixed-two-gpus-one-na.csv": ["index", ...RAIL_COLUMNS],
};

export function capturePath(file: string): string {
  return `${FOLDER}${file}`;
}

export function captureText(file: string): string {
  return readFileSync(capturePath(file), "utf8");
}

export function hasHeader(file: string): boolean {
  return /^(timestamp|power\.draw|name|index)\b/.test(captureText(file));
}

/** Names of a capture's columns: those of its header, else those above. */
export function columnsOf(file: string): readonly string[] {
  if (hasHeader(file)) return cellsOf(linesOf(file)[0]!);
  return UNNAMED[file] ?? RAIL_COLUMNS;
}

/** A capture's lines, its header among them; CR stays, blank ones go. */
function linesOf(file: string): readonly string[] {
  return captureText(file)
    .split("\n")
    .filter((line) => line.trim() !== "");
}

/** A capture's lines of data, as they stand in the file. */
export function dataLinesOf(file: string): readonly string[] {
  const [header] = linesOf(file);
  return linesOf(file).filter((line) => !hasHeader(file) || line !== header);
}

/** The cells of one column, by the name that the header shows. */
export function columnOf(file: string, name: string): readonly string[] {
  const place = columnsOf(file).indexOf(name);
  return dataLinesOf(file).map((line) => cellsOf(line)[place] ?? "");
}

function cellsOf(line: string): readonly string[] {
  return line.split(",").map((cell) => cell.trim());
}
