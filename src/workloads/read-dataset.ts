import { createReadStream } from "node:fs";
import { DatasetError } from "./dataset-error.ts";
import { type DatasetEntry, parseEntry } from "./parse-entry.ts";
import { splitElements, splitLines, type TextPiece } from "./split-text.ts";

export interface ReadDatasetOptions {
  /** Reads no further than this many usable entries; default all. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

/** An entry that was left out. */
export interface BadLine {
  /** Where it starts, counted from 1. */
  readonly line: number;
  readonly why: string;
}

/** What a file of prompts holds. */
export interface Dataset {
  readonly file: string;
  /** A JSON object on each line, or one JSON array of them as ShareGPT has it. */
  readonly format: "jsonl" | "json-array";
  readonly entries: readonly DatasetEntry[];
  /** How many entries were left out: tell it, for what is measured is not the whole file. */
  readonly badLineCount: number;
  /** The first of them. */
  readonly badLines: readonly BadLine[];
}

const BAD_LINES_TOLD = 20;

const REMEDY =
  'give a file with one JSON object on each line, {"prompt": "…"} or {"messages": […]}, or a ShareGPT-like JSON array';

/**
 * Reads a data set as a stream: only its usable entries are held in memory.
 *
 * @throws {DatasetError} when the file cannot be read, or holds no usable entry.
 */
export async function readDataset(
  file: string,
  { limit = Infinity, signal }: ReadDatasetOptions = {},
): Promise<Dataset> {
  const entries: DatasetEntry[] = [];
  const badLines: BadLine[] = [];
  let badLineCount = 0;
  const { format, pieces } = await openPieces(file, signal);
  for await (const { line, text } of pieces) {
    const entry = parseEntry(text);
    if ("body" in entry) entries.push(entry);
    else if (++badLineCount <= BAD_LINES_TOLD) badLines.push({ line, why: entry.why });
    if (entries.length >= limit) break;
  }
  if (entries.length > 0) return { file, format, entries, badLineCount, badLines };

  const first = badLines[0];
  if (first === undefined) throw new DatasetError({ file, why: "it is empty", remedy: REMEDY });
  const why = `no entry of ${badLineCount} can be used; in this first one, ${first.why}`;
  throw new DatasetError({ file, line: first.line, why, remedy: REMEDY });
}

/** The file's entries; its first character that is not blank tells its format. */
async function openPieces(
  file: string,
  signal: AbortSignal | undefined,
): Promise<{ format: Dataset["format"]; pieces: AsyncIterable<TextPiece> }> {
  const chunks = readText(file, signal);
  let head = "";
  while (head.trim() === "") {
    const { done, value } = await chunks.next();
    if (done) break;
    head += value;
  }
  const whole = prepend(head, chunks);
  return head.trimStart().startsWith("[")
    ? { format: "json-array", pieces: splitElements(whole) }
    : { format: "jsonl", pieces: splitLines(whole) };
}

async function* readText(
  file: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, void> {
  const stream = createReadStream(file, { encoding: "utf8", ...(signal ? { signal } : {}) });
  let isFirst = true;
  try {
    for await (const chunk of stream as AsyncIterable<string>) {
      yield isFirst ? chunk.replace(/^\uFEFF/, "") : chunk;
      isFirst = false;
    }
  } catch (error) {
    signal?.throwIfAborted();
    const why = `it cannot be read (${(error as Error).message})`;
    throw new DatasetError({ file, why, remedy: "give a file that can be read" }, { cause: error });
  }
}

async function* prepend(
  head: string,
  chunks: AsyncGenerator<string, void, void>,
): AsyncGenerator<string, void, void> {
  try {
    yield head;
    yield* chunks;
  } finally {
    await chunks.return(); // Closes the file when the reader stops early.
  }
}
