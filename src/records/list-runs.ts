import { readdir, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Metrics } from "../energy/metrics.ts";

/** One kept run, as far as its folder tells. */
export interface RunListing {
  /** The folder's name. */
  readonly name: string;
  readonly benchmark?: string;
  readonly startedAt?: string;
  readonly model?: string;
  readonly cells?: number;
  readonly measured?: number;
  readonly simulated?: boolean;
  /** The figures that say most, by their keys: at most two. */
  readonly headline?: Metrics;
  /** `no record`: the run was killed, or still goes on. */
  readonly state: "complete" | "interrupted" | "no record" | "unreadable";
  /** Why it cannot be read. */
  readonly why?: string;
}

/** What a listing reads of a run's header and of its record; of an old or broken one less. */
interface Kept {
  readonly benchmark?: string;
  readonly startedAt?: string;
  readonly target?: { readonly model?: string };
  readonly server?: { readonly model?: string };
  readonly cells?: readonly { readonly state?: string }[];
  readonly simulated?: boolean;
  readonly interrupted?: boolean;
  readonly metrics?: Metrics;
}

/**
 * Keys of a headline, the best first; of what is no benchmark of tokens, its energy. An estimate is
 * named before the plain integral, which then is left out.
 */
const HEADLINE: readonly RegExp[] = [
  /^decode_tok_s$/,
  /^peak_output_tok_s$/,
  /^best_[a-z]+_rail_joules_per_token(?:_est)?$/,
  /^(?:gpu|cpu|node|module|sim)_rail_joules_per_token(?:_est)?$/,
  /^(?:gpu|cpu|node|module|sim)_rail_energy(?:_est)?_j$/,
];

/**
 * The runs below a folder, the oldest one first. Folders that hold neither a header nor a record are
 * no runs and are left out.
 *
 * @throws what the file system says when the folder itself cannot be read.
 */
export async function listRuns(parent: string): Promise<readonly RunListing[]> {
  const entries = await readdir(parent, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const runs = await Promise.all(names.map((name) => readListing(join(parent, name))));
  return runs
    .filter((run) => run !== undefined)
    .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}

/** By the time of the start; where that is not known, by the name, which begins with it. */
function sortKey({ startedAt, name }: RunListing): string {
  return `${startedAt?.replaceAll(/[-:]/g, "").slice(0, 15) ?? name.slice(0, 15)} ${name}`;
}

async function readListing(path: string): Promise<RunListing | undefined> {
  const name = basename(path);
  try {
    const record = await readKept(join(path, "record.json"));
    const header = await readKept(join(path, "run.json"));
    if (record === undefined && header === undefined) return undefined;
    return listingOf(name, record, header);
  } catch (error) {
    return { name, state: "unreadable", why: (error as Error).message };
  }
}

function listingOf(name: string, record: Kept | undefined, header: Kept | undefined): RunListing {
  const told = record ?? header!;
  const { benchmark, startedAt, cells, simulated } = told;
  const model = told.server?.model ?? told.target?.model;
  const measured = record?.cells?.filter(({ state }) => state === "measured").length;
  const how = record?.interrupted === true ? "interrupted" : "complete";
  return {
    name,
    ...(benchmark === undefined ? {} : { benchmark }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(model === undefined ? {} : { model }),
    ...(cells === undefined ? {} : { cells: cells.length }),
    ...(measured === undefined ? {} : { measured }),
    ...(simulated === undefined ? {} : { simulated }),
    ...headlineOf(record?.metrics ?? {}),
    state: record === undefined ? "no record" : how,
  };
}

function headlineOf(metrics: Metrics): Pick<RunListing, "headline"> {
  const keys = HEADLINE.flatMap((key) => {
    const found = Object.keys(metrics).filter((name) => key.test(name));
    const estimated = found.filter((name) => name.includes("_est"));
    return estimated.length > 0 ? estimated : found;
  });
  const headline = Object.fromEntries(keys.slice(0, 2).map((key) => [key, metrics[key]!]));
  return keys.length === 0 ? {} : { headline };
}

/** @returns `undefined` where there is no such file of ours. @throws for one that is no JSON object. */
async function readKept(path: string): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  let kept: unknown;
  try {
    kept = JSON.parse(text);
  } catch {
    throw new Error(`${basename(path)} is no JSON`);
  }
  if (typeof kept !== "object" || kept === null) throw new Error(`${basename(path)} is no object`);
  // Other programs keep files of these names too.
  const { schema, benchmark } = kept as { readonly schema?: unknown; readonly benchmark?: unknown };
  const isOurs =
    schema === undefined ? typeof benchmark === "string" : String(schema).startsWith("joulemark.");
  return isOurs ? kept : undefined;
}
