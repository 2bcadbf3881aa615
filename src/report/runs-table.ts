import type { RunListing } from "../records/list-runs.ts";
import { cleanText, shorten } from "./clean-text.ts";
import { columnsTable } from "./columns-table.ts";
import type { Look } from "./facts-table.ts";
import { shortNumber } from "./figure.ts";
import { fitColumns, type RankedColumn } from "./fit-columns.ts";

/** What `joulemark runs` shows people: the runs below a folder, the newest one last. */
export function runsTable(runs: readonly RunListing[], parent: string, look: Look): string {
  if (runs.length === 0)
    return `no runs in ${parent}; joulemark sweep --target URL makes one, --out says where`;
  const { kept } = fitColumns(columnsOf(runs), look.width);
  const rows = runs.map((_, i) => kept.map(({ cells }) => cells[i]!));
  const remedies = [
    ...(runs.some(({ state }) => state === "no record" || state === "interrupted")
      ? ["", `joulemark rederive ${parent}/RUN   makes the record of what a run did measure`]
      : []),
  ];
  return [columnsTable(kept, rows, look.hasColour), ...remedies].join("\n");
}

function columnsOf(runs: readonly RunListing[]): readonly RankedColumn[] {
  const column = (head: string, rank: number, pick: (run: RunListing) => string): RankedColumn => ({
    head,
    rank,
    cells: runs.map(pick),
  });
  return [
    column("run", 10, ({ name }) => cleanText(name)),
    column("started (UTC)", 2, ({ startedAt }) => startedAt?.slice(0, 16).replace("T", " ") ?? "—"),
    column("benchmark", 1, ({ benchmark }) => benchmark ?? "—"),
    column("model", 5, ({ model }) => (model === undefined ? "—" : shorten(cleanText(model), 28))),
    {
      ...column("cells", 6, ({ measured, cells }) =>
        measured === undefined || cells === undefined ? "—" : `${measured} of ${cells}`,
      ),
      isNumber: true,
    },
    column("headline", 7, headlineWords),
    column("state", 10, stateWords),
  ];
}

/** The figures that say most of a run, with the units that their keys end in. */
function headlineWords({ headline = {} }: RunListing): string {
  const words = Object.entries(headline).map(([key, value]) => {
    const unit = UNITS.find(([tail]) => key.endsWith(tail))?.[1] ?? key;
    return `${shortNumber(value)} ${unit}`;
  });
  return words.length === 0 ? "—" : words.join(", ");
}

const UNITS = [
  ["joules_per_token_est", "J/token"],
  ["joules_per_token", "J/token (plain integral)"],
  ["tok_s", "tok/s"],
  ["energy_est_j", "J"],
  ["energy_j", "J (plain integral)"],
] as const;

function stateWords({ state, why, simulated }: RunListing): string {
  const words = why === undefined ? state : `${state}: ${shorten(cleanText(why), 60)}`;
  return simulated ? `${words}, SIMULATED` : words;
}
