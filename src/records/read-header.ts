import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { JoulemarkError } from "../errors.ts";
import { headerShape } from "./header-shape.ts";
import { unreadable } from "./read-lines.ts";
import type { RunHeader } from "./run-header.ts";

/**
 * Reads what a run was planned as.
 *
 * @throws {JoulemarkError} `bad_option` when the folder is no run of this kind.
 */
export async function readHeader(dir: string): Promise<RunHeader> {
  let header: unknown;
  try {
    header = JSON.parse(await readFile(join(dir, "run.json"), "utf8"));
  } catch (cause) {
    throw noRun(dir, whyNot(cause), cause);
  }
  const { schema } = Object(header) as { readonly schema?: unknown };
  if (schema !== "joulemark.run/1") {
    const found = `its run.json has the schema ${JSON.stringify(schema)}`;
    throw noRun(dir, `${found}; this version reads joulemark.run/1`);
  }
  const wrong = headerShape(header);
  if (wrong === undefined) return header as RunHeader;
  throw noRun(dir, `${wrong.slice(1)} in its run.json is not what it must be`);
}

function whyNot(cause: unknown): string {
  if (cause instanceof SyntaxError) return "its run.json is not whole";
  const why = unreadable(cause);
  return why === undefined ? "it has no run.json" : `its run.json cannot be read (${why})`;
}

function noRun(dir: string, why: string, cause?: unknown): JoulemarkError {
  return new JoulemarkError("bad_option", `${dir} is no run folder: ${why}`, { cause });
}
