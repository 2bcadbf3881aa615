import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { JoulemarkError } from "../errors.ts";
import type { RunRecord } from "./run-record.ts";

/**
 * Reads the record of a run.
 *
 * @param path - a run folder, or its `record.json`.
 * @throws {JoulemarkError} `bad_option` for what is no record of this version, with what would help.
 */
export async function readRun(path: string): Promise<RunRecord> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const file = isFolder ? join(path, "record.json") : path;
  const record = await parsedFile(file);
  const { schema } = record as { readonly schema?: unknown };
  if (schema === "joulemark.record/1") return record as RunRecord;
  throw new JoulemarkError(
    "bad_option",
    `${file} has the schema ${JSON.stringify(schema)}: this version reads joulemark.record/1`,
  );
}

async function parsedFile(file: string): Promise<object> {
  const remedy = "joulemark rederive RUN makes it again from the raw files";
  try {
    const value: unknown = JSON.parse(await readFile(file, "utf8"));
    if (typeof value === "object" && value !== null) return value;
  } catch (cause) {
    const why =
      cause instanceof SyntaxError
        ? "is not whole"
        : `cannot be read (${(cause as Error).message})`;
    throw new JoulemarkError("bad_option", `${file} ${why}: ${remedy}`, { cause });
  }
  throw new JoulemarkError("bad_option", `${file} is no record: ${remedy}`);
}
