import { SmiRefusal } from "./refusal.ts";

/** What is asked of the program. */
export interface SmiArguments {
  readonly query: SmiQuery;
  readonly format: { readonly hasHeader: boolean; readonly hasUnits: boolean };
  /** Between ticks; absent: one answer, then exit. */
  readonly periodMs: number | undefined;
  /** Indices, uuids or bus ids; absent: all GPUs. */
  readonly ids: readonly string[] | undefined;
  /** How many ticks of a loop; absent: it goes on. */
  readonly mostTicks?: number;
}

export type SmiQuery =
  | { readonly kind: "gpu" | "compute-apps"; readonly fields: readonly string[] }
  | { readonly kind: "list" }
  | { readonly kind: "processes" };

interface Draft {
  queries: SmiQuery[];
  format?: readonly string[];
  periodMs?: number;
  ids?: readonly string[];
}

type Setter = (draft: Draft, value: string) => void;

const setPeriodMs: Setter = (draft, value) => {
  draft.periodMs = positive(value, "loop-ms");
};
const setPeriodS: Setter = (draft, value) => {
  draft.periodMs = positive(value, "loop") * 1000;
};
const setIds: Setter = (draft, value) => {
  draft.ids = commaList(value);
};

const PMON_PERIOD_MS = 1000;

/** Options that take the next argument as their value. */
const SPACED: Readonly<Record<string, Setter>> = {
  "-lms": setPeriodMs,
  "-l": setPeriodS,
  "-i": setIds,
};

/** Options that carry their value behind `=`. */
const JOINED: Readonly<Record<string, Setter>> = {
  "--loop-ms": setPeriodMs,
  "--loop": setPeriodS,
  "--id": setIds,
  "--format": (draft, value) => {
    draft.format = commaList(value);
  },
  "--query-gpu": (draft, value) => {
    draft.queries.push({ kind: "gpu", fields: commaList(value) });
  },
  "--query-compute-apps": (draft, value) => {
    draft.queries.push({ kind: "compute-apps", fields: commaList(value) });
  },
};

/**
 * Reads the arguments of `nvidia-smi` that the stand-in answers.
 *
 * @throws {SmiRefusal} for anything else: what the real one would do there is not imitated.
 */
export function parseArguments(argv: readonly string[]): SmiArguments {
  if (argv[0] === "pmon") return parsePmon(argv.slice(1));
  const draft: Draft = { queries: [] };
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i]!;
    const [name, ...rest] = argument.split("=");
    if (argument === "-L" || argument === "--list-gpus") draft.queries.push({ kind: "list" });
    else if (Object.hasOwn(SPACED, argument)) SPACED[argument]!(draft, argv[++i] ?? "");
    else if (rest.length > 0 && Object.hasOwn(JOINED, name!)) JOINED[name!]!(draft, rest.join("="));
    else refuse(`Option ${argument} is not recognized.`);
  }
  return finish(draft);
}

/** `pmon`: a tick each second, of as many as `-c` says; of what it may show, utilisation alone. */
function parsePmon(argv: readonly string[]): SmiArguments {
  let mostTicks: number | undefined;
  let ids: readonly string[] | undefined;
  let shown: string | undefined = "u";
  for (let i = 0; i < argv.length; i += 2) {
    const value = argv[i + 1] ?? "";
    if (argv[i] === "-c") mostTicks = positive(value, "count");
    else if (argv[i] === "-s") shown = value;
    else if (argv[i] === "-i") ids = commaList(value);
    else refuse(`Option ${argv[i]} is not recognized.`);
  }
  if (shown !== "u") refuse(`the stand-in's pmon shows "-s u" only, not "${shown}".`);
  return {
    query: { kind: "processes" },
    format: { hasHeader: true, hasUnits: false },
    periodMs: mostTicks === 1 ? undefined : PMON_PERIOD_MS,
    ids,
    ...(mostTicks === undefined ? {} : { mostTicks }),
  };
}

function finish({ queries, format, periodMs, ids }: Draft): SmiArguments {
  const query = queries[0];
  if (!query)
    return refuse("the stand-in answers --query-gpu, --query-compute-apps, pmon and -L only.");
  if (queries.length > 1) return refuse("Only one query may be asked at a time.");
  if (query.kind !== "list" && !format?.includes("csv")) {
    return refuse(
      format === undefined
        ? '"--format=csv" is missing.'
        : `"${format.join(",")}" is not a format that the stand-in prints: give --format=csv.`,
    );
  }
  return {
    query,
    format: {
      hasHeader: !format?.includes("noheader"),
      hasUnits: !format?.includes("nounits"),
    },
    periodMs,
    ids,
  };
}

function commaList(value: string): string[] {
  return value.split(",").map((entry) => entry.trim());
}

function positive(value: string, option: string): number {
  const parsed = Number(value);
  if (value.trim() !== "" && parsed > 0 && Number.isFinite(parsed)) return parsed;
  return refuse(`"${value}" is not a value for ${option}.`);
}

function refuse(reason: string): never {
  throw new SmiRefusal(2, `ERROR: ${reason} Please run 'nvidia-smi -h'.\n`);
}
