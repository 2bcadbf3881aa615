import { readCapturedText, splitLines } from "./capture.ts";
import type { Playback } from "./scenario.ts";
import { inTurn, type PendingRow, readRow, type TickSource } from "./tick.ts";

/** The bytes of a capture, `rowsPerTick` lines at a time, nothing read into them. */
export function rawTicks(playback: Playback): TickSource {
  const { file, rowsPerTick = 1, skipRows = 0, loop = false } = playback;
  const lines = splitLines(readCapturedText(file, "latin1"));
  const ticks: PendingRow[][] = [];
  for (let i = skipRows; i < lines.length; i += rowsPerTick) {
    // The lines bring their own ends, where they have one.
    const verbatim = lines.slice(i, i + rowsPerTick).join("");
    ticks.push([readRow({ cells: [], verbatim, hasNoEnd: true })]);
  }
  return {
    header: undefined,
    powerColumns: [],
    encoding: "latin1",
    eol: "\n",
    nextTick: inTurn(ticks, loop),
  };
}
