import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LineCounter, parseDocument } from "yaml";
import type { FlagValues } from "./config-values.ts";
import { UsageError } from "./usage-error.ts";

/**
 * Flags from a YAML file.
 *
 * @throws {UsageError} for a file that cannot be read or is no map of names and values.
 */
export function readConfigFile(path: string): FlagValues {
  const origin = `--config ${path}`;
  const lines = new LineCounter();
  const document = parseDocument(readText(origin, path), {
    lineCounter: lines,
    // A snippet of the file could hold what is not to be shown.
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new UsageError(
      `${origin}: line ${line}, column ${col} is no YAML: ${error.message.split("\n")[0]}; ${HELP}`,
    );
  }
  const values: unknown = document.toJS() ?? {};
  if (typeof values !== "object" || values === null || Array.isArray(values))
    throw new UsageError(`${origin} holds no names and values; ${HELP}`);
  return { origin, values: values as Readonly<Record<string, unknown>> };
}

const HELP = "give one flag a line, such as “concurrency: [1, 2, 4]”";

/**
 * The flags that a run was started with, so that `--resume` needs nothing but its folder.
 *
 * @throws {UsageError} for a folder that holds no run.
 */
export function readRunFlags(run: string): FlagValues {
  const origin = `--resume ${run}`;
  const text = readText(origin, join(run, "run.json"));
  let header: { readonly parameters?: unknown };
  try {
    header = JSON.parse(text) as typeof header;
  } catch {
    throw new UsageError(`${origin}: run.json is no JSON; ${NO_RUN}`);
  }
  if (typeof header.parameters !== "object" || header.parameters === null)
    throw new UsageError(`${origin}: run.json tells no parameters; ${NO_RUN}`);
  return { origin, values: header.parameters as Readonly<Record<string, unknown>> };
}

const NO_RUN = "name a run folder, as joulemark runs lists them";

function readText(origin: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? "unknown error";
    const remedy = origin.startsWith("--resume") ? NO_RUN : "name a YAML file that can be read";
    throw new UsageError(`${origin}: ${path} could not be read (${why}); ${remedy}`);
  }
}
