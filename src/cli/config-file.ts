import { join } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import { cleanText } from "../report/clean-text.ts";
import type { FlagValues } from "./config-values.ts";
import { readUserFile } from "./read-user-file.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Flags from a YAML file.
 *
 * @throws {UsageError} for a file that cannot be read or is no map of names and values.
 */
export function readConfigFile(path: string): FlagValues {
  const origin = `--config ${path}`;
  const values = parsed(origin, readText(origin, path)) ?? {};
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new UsageError(`${origin} holds no names and values; ${HELP}`);
  return { origin, values: values as Readonly<Record<string, unknown>> };
}

/** A file that says one thing a hundred times over by its aliases is no list of flags. */
const MOST_ALIASES = 100;

function parsed(origin: string, text: string): unknown {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      // A snippet of the file could hold what is not to be shown.
      prettyErrors: false,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      throw new UsageError(
        `${origin}: line ${line}, column ${col} is no YAML: ${firstLine(error)}; ${HELP}`,
      );
    }
    const values: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    // An alias within its own anchor has no end, and no value can be told from it.
    JSON.stringify(values);
    return values;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${origin} cannot be taken as flags: ${firstLine(error)}; ${HELP}`);
  }
}

function firstLine(error: unknown): string {
  return cleanText(String((error as Error).message).split("\n")[0]!);
}

const HELP = "give one flag a line, such as “concurrency: [1, 2, 4]”";

/**
 * The flags that a run was started with, so that `--resume` needs nothing but its folder.
 *
 * @throws {UsageError} for a folder that holds no run.
 */
export function readRunFlags(run: string, benchmark: string): FlagValues {
  const origin = `--resume ${run}`;
  const text = readText(origin, join(run, "run.json"));
  let header: { readonly parameters?: unknown; readonly benchmark?: unknown } | null;
  try {
    header = JSON.parse(text) as typeof header;
  } catch {
    throw new UsageError(`${origin}: run.json is no JSON; ${NO_RUN}`);
  }
  if (typeof header?.parameters !== "object" || header.parameters === null)
    throw new UsageError(`${origin}: run.json tells no parameters; ${NO_RUN}`);
  const { benchmark: before } = header;
  if (before !== benchmark)
    throw new UsageError(`${origin}: it is a ${String(before)}, not a ${benchmark}`);
  return { origin, values: header.parameters as Readonly<Record<string, unknown>> };
}

const NO_RUN = "name a run folder, as joulemark runs lists them";

function readText(origin: string, path: string): string {
  try {
    return readUserFile(path);
  } catch (error) {
    const remedy = origin.startsWith("--resume") ? NO_RUN : "name a YAML file that can be read";
    throw new UsageError(
      `${origin}: ${path} could not be read (${(error as Error).message}); ${remedy}`,
    );
  }
}
