import { gainWords } from "../rails/rail-gain.ts";
import type { CellRecord, RunRecord } from "../records/run-record.ts";
import { cleanText, shorten } from "./clean-text.ts";
import { type FactRow, factsTable, type Look } from "./facts-table.ts";
import { watts } from "./figures.ts";

/** The words above a run's table: what ran where, on which rail, and what came out of it. */
export function runHead(record: RunRecord, facts: readonly FactRow[], look: Look): string {
  return factsTable(
    titleOf(record, look.width),
    [
      ["target", shorten(cleanText(whereOf(record)), look.width - 14)],
      ...serverRow(record),
      ...railRows(record),
      ...facts,
    ],
    look,
  );
}

/** The model's name gets what is left of the line. */
function titleOf({ benchmark, simulated, interrupted, server, target }: RunRecord, width: number) {
  const head = `${simulated ? "SIMULATED · " : ""}joulemark ${benchmark}`;
  const tail = interrupted ? " · ENDED EARLY" : "";
  const model = server?.model ?? target.model;
  if (model === undefined) return head + tail;
  return `${head} · ${shorten(cleanText(model), width - head.length - tail.length - 3)}${tail}`;
}

function whereOf({ target }: RunRecord): string {
  const { requestUrl, socketPath } = target;
  return socketPath === undefined ? requestUrl : `${requestUrl} at ${socketPath}`;
}

function serverRow({ server }: RunRecord): readonly FactRow[] {
  const words = [server?.name, server?.version].filter((word) => word !== undefined).join(" ");
  return words === "" ? [] : [["server", shorten(cleanText(words), 60)]];
}

function railRows({ rail, idle, cells, validity }: RunRecord): readonly FactRow[] {
  if (rail === undefined) {
    const reasons = [...validity, ...cells.flatMap((cell) => cell.validity)];
    const why = reasons.find(({ refuses }) => refuses === "energy");
    return [["rail", why === undefined ? "none" : `none: ${cleanText(why.detail)}`]];
  }
  const counts = new Map<string, number>();
  for (const { name, id } of rail.devices)
    counts.set(name ?? id, (counts.get(name ?? id) ?? 0) + 1);
  const devices = [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
  const quiet = validity.find(({ refuses }) => refuses === "above_idle");
  const why = quiet === undefined ? "" : ` (${cleanText(quiet.detail)})`;
  const baseline = idle === undefined ? `no idle baseline${why}` : `idle ${watts(idle.meanPowerW)}`;
  const gain = gainWords(rail.devices);
  return [
    ["rail", `${cleanText(rail.source)}, ${cleanText(devices.join(", "))}, ${baseline}`],
    ...(gain === undefined ? [] : [["gain", cleanText(gain)] as const]),
    ["not in it", cleanText(rail.excludes)],
  ];
}

/** What was asked of each cell, in words. */
export function loadWords(cells: readonly CellRecord[], repeats: number): string {
  const inputs = [...new Set(cells.flatMap(({ inputTokens }) => inputTokens ?? []))];
  const outputs = [...new Set(cells.flatMap(({ outputTokens }) => outputTokens ?? []))];
  const [first] = cells;
  return [
    ...(inputs.length === 0 ? [] : [`${inputs.join(", ")} tokens in`]),
    ...(outputs.length === 0 ? [] : [`${outputs.join(", ")} out`]),
    ...(first === undefined || first.cache === "any" ? [] : [`${first.cache} cache`]),
    ...(repeats > 1 ? [`${repeats} repeats`] : []),
  ].join(" · ");
}
