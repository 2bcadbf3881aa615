import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
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
  /** The figures that say most, by their keys. */
  readonly headline?: Metrics;
  /** `no record`: the run was killed, or still goes on. */
  readonly state: "complete" | "interrupted" | "no record" | "unreadable";
  /** Why it cannot be read. */
  readonly why?: string;
}

/** What a folder's name must look like: `<UTC time>-<benchmark>-<4 hex>`. */
const RUN_NAME = /^\d{8}T\d{6}Z-([a-z-]+)-[0-9a-f]{4}$/;

/** Keys of a headline, by how they end: the best cell of a sweep, the rate of a decode floor. */
const HEADLINE = [
  /^peak_output_tok_s$/,
  /^best_\w+_rail_joules_per_token$/,
  /^decode_tok_s$/,
  /^\w+_rail_joules_per_token$/,
  /^\w+_rail_energy_j$/,
];

/**
 * The runs below a folder, the oldest first; what is no run folder is left out.
 *
 * @throws what the file system says of the folder itself.
 */
export async function listRuns(parent: string): Promise<RunListing[]> {
  const names = (await readdir(parent)).filter((name) => RUN_NAME.test(name)).toSorted();
  return Promise.all(names.map((name) => listing(parent, name)));
}

async function listing(parent: string, name: string): Promise<RunListing> {
  const benchmark = RUN_NAME.exec(name)?.[1] ?? "";
  try {
    const record = await jsonIn(join(parent, name, "record.json"));
    if (record !== undefined) return { name, benchmark, ...fromRecord(record) };
    const header = await jsonIn(join(parent, name, "run.json"));
    const known = header === undefined ? {} : fromHeader(header);
    return { name, benchmark, ...known, state: "no record" };
  } catch (error) {
    return { name, benchmark, state: "unreadable", why: (error as Error).message };
  }
}

type Fields = Readonly<Record<string, unknown>>;

function fromRecord(record: Fields): Omit<RunListing, "name"> {
  const cells = Array.isArray(record["cells"]) ? (record["cells"] as readonly Fields[]) : undefined;
  const rail = fieldsOf(record["rail"]);
  const headline = headlineOf(fieldsOf(record["metrics"]));
  return {
    ...fromHeader(record),
    ...(cells === undefined
      ? {}
      : {
          cells: cells.length,
          measured: cells.filter(({ state }) => state === "measured").length,
        }),
    simulated: record["simulated"] === true || rail["head"] === "sim_rail",
    ...(headline === undefined ? {} : { headline }),
    state: record["interrupted"] === true ? "interrupted" : "complete",
  };
}

function fromHeader(header: Fields): Pick<RunListing, "startedAt" | "model" | "cells"> {
  const { startedAt } = header;
  const { model } = fieldsOf(header["target"]);
  const cells = header["cells"];
  return {
    ...(typeof startedAt === "string" ? { startedAt } : {}),
    ...(typeof model === "string" ? { model } : {}),
    ...(Array.isArray(cells) ? { cells: cells.length } : {}),
  };
}

function headlineOf(metrics: Fields): Metrics | undefined {
  const found: Record<string, number> = {};
  for (const pattern of HEADLINE) {
    const key = Object.keys(metrics).find((name) => pattern.test(name));
    const value = key === undefined ? undefined : metrics[key];
    if (key !== undefined && typeof value === "number") found[key] = value;
    if (Object.keys(found).length === 2) break;
  }
  return Object.keys(found).length === 0 ? undefined : found;
}

/** @returns `undefined` when there is no such file. */
async function jsonIn(path: string): Promise<Fields | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  return fieldsOf(JSON.parse(text));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
