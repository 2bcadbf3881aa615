import type { CellRecord } from "../records/run-record.ts";
import {
  energyKind,
  joulesPerToken,
  percentileMs,
  railFigure,
  secondApart,
  secondName,
  tokensPerS,
} from "./cell-figures.ts";
import { cleanText } from "./clean-text.ts";
import { type Pick, shortNumber, signedPercent } from "./figure.ts";

/** A finished cell on one line. */
export function cellLine(cell: CellRecord): string {
  const { label, counts, state, isComparable } = cell;
  const kind = energyKind([cell]);
  const energy = joulesPerToken(cell, kind);
  const second = secondName([cell]);
  const figures: readonly (readonly [string, Pick, string])[] = [
    ["", tokensPerS(cell), " tok/s"],
    ["TTFT ", single(cell, "ttftMs"), " ms"],
    ["TPOT ", single(cell, "tpotMs"), " ms"],
    ["", energy, kind === "plain" ? " J/token (plain integral)" : " J/token"],
    ["", railFigure(cell, "mean_power_w"), " W"],
  ];
  const known = figures.flatMap(([before, pick, unit]) =>
    "value" in pick ? [`${before}${shortNumber(pick.value)}${unit}`] : [],
  );
  const apart = second && secondApart(cell, second);
  const other = apart && "value" in apart ? [`${second} ${signedPercent(apart.value)} %`] : [];
  const why =
    "absent" in energy && state === "measured" ? [`no energy (${energy.absent.code})`] : [];
  const failed = counts !== undefined && counts.failed > 0 ? [`${counts.failed} FAILED`] : [];
  const marks = [
    ...(state === "measured" ? [] : [state]),
    ...(isComparable || state !== "measured" ? [] : ["not comparable"]),
  ];
  return `${cleanText(label)}: ${[...known, ...other, ...why, ...failed, ...marks].join(", ")}`;
}

/** The median; of a single request its own value. */
function single(cell: CellRecord, time: "ttftMs" | "tpotMs"): Pick {
  const mean = cell[time]?.n === 1 ? cell[time]?.mean : undefined;
  return mean === undefined ? percentileMs(cell, time, "p50") : { value: mean };
}
