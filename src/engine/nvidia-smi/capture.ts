import { readFileSync } from "node:fs";
import { JoulemarkError } from "../../errors.ts";
import { canonicalField, unitOf } from "./fields.ts";
import type { Playback } from "./scenario.ts";

/** One line that a real `nvidia-smi` printed. */
export interface CapturedLine {
  /** `row` has a cell for each column, `damaged` has not, `gap` is blank. */
  readonly kind: "row" | "damaged" | "header" | "gap";
  readonly text: string;
  readonly cells: readonly string[];
  /** The file ends inside this line. */
  readonly hasNoEnd: boolean;
}

/** What a real `nvidia-smi` printed, understood. */
export interface Capture {
  /** Positions of the columns by field, under the fields' newest names. */
  readonly columnByField: ReadonlyMap<string, number>;
  readonly unitByField: ReadonlyMap<string, string>;
  /** Without the header that names the columns. */
  readonly lines: readonly CapturedLine[];
  readonly hasCrlf: boolean;
}

/** @throws {JoulemarkError} `bad_option`, when the file is not there or none of its rows fits. */
export function readCapture(playback: Playback): Capture {
  const content = readCapturedText(playback.file, "utf8");
  const lines = splitLines(content);
  const headings = playback.columns ?? splitCells(lines.find((line) => line.trim() !== "") ?? "");
  const columns = headings.map(parseHeading);
  const understood = lines.map((line, i): CapturedLine => {
    const text = line.replace(/\r?\n$/, "");
    const cells = splitCells(text);
    const hasNoEnd = i === lines.length - 1 && !line.endsWith("\n");
    return { kind: kindOf(text, cells, columns), text, cells, hasNoEnd };
  });
  const firstHeader = playback.columns ? -1 : understood.findIndex(({ kind }) => kind === "header");
  const rest = understood.slice(firstHeader + 1);
  if (!rest.some((line) => line.kind === "row")) {
    throw new JoulemarkError(
      "bad_option",
      `${playback.file}: no row has ${columns.length} cells (${headings.join(", ")})`,
    );
  }
  return {
    columnByField: new Map(columns.map(({ field }, i) => [field, i])),
    unitByField: new Map(columns.map(({ field, unit }) => [field, unit])),
    lines: rest,
    hasCrlf: content.includes("\r\n"),
  };
}

/** Lines with their own ends; the last one may have none. */
export function splitLines(content: string): string[] {
  return content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** @throws {JoulemarkError} `bad_option`, when the file cannot be read. */
export function readCapturedText(file: string, encoding: "utf8" | "latin1"): string {
  try {
    return readFileSync(file, encoding);
  } catch (cause) {
    throw new JoulemarkError("bad_option", `cannot play ${file}: ${(cause as Error).message}`, {
      cause,
    });
  }
}

interface CapturedColumn {
  readonly field: string;
  readonly unit: string;
}

/** `power.draw [W]` or `power.draw`: the unit counts also where the capture has none. */
function parseHeading(heading: string): CapturedColumn {
  const [, name = "", unit] = /^(.*?)(?:\s*\[(.*)\])?$/.exec(heading.trim()) ?? [];
  const field = canonicalField(name);
  return { field, unit: unit ?? unitOf(field) };
}

function kindOf(
  text: string,
  cells: readonly string[],
  columns: readonly CapturedColumn[],
): CapturedLine["kind"] {
  if (text.trim() === "") return "gap";
  if (cells.length !== columns.length) return "damaged";
  return cells.every((cell, i) => parseHeading(cell).field === columns[i]!.field)
    ? "header"
    : "row";
}

function splitCells(line: string): string[] {
  return line.split(",").map((cell) => cell.trim());
}
