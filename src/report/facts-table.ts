import { styleText } from "node:util";

/** One row: what it is called, and its value; several lines of a value stand below each other. */
export type FactRow = readonly [label: string, value: string | readonly string[]];

/** How a table may look where it is shown. */
export interface Look {
  readonly hasColour: boolean;
  /** Most characters in a line. */
  readonly width: number;
}

/** A table of names and values for people. */
export function factsTable(
  title: string,
  rows: readonly FactRow[],
  { hasColour, width }: Look,
): string {
  const labelWidth = Math.max(...rows.map(([label]) => label.length));
  const paint = (style: "bold" | "dim", text: string): string =>
    hasColour ? styleText(style, text, { validateStream: false }) : text;
  const lines = rows.flatMap(([label, value]) => {
    const texts = typeof value === "string" ? [value] : value;
    const wrapped = texts.flatMap((text) => wrap(text, width - labelWidth - 4));
    return wrapped.map((text, i) => {
      const name = (i === 0 ? label : "").padEnd(labelWidth);
      return `  ${paint("dim", name)}  ${text}`;
    });
  });
  return [paint("bold", title), ...lines].join("\n");
}

/** A blank that belongs between a number and its unit. */
const BEFORE_UNIT = /(?<=\d) (?=(?:%|J|W|s|ms)(?:[^\p{L}]|$))/gu;

/** Keeps a number and its unit on one line while the text is cut. */
const NO_BREAK = "\u00a0";

/** Cuts a text into lines at its blanks; a word that is longer than a line stays whole. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.replaceAll(BEFORE_UNIT, NO_BREAK).split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].map((cut) => cut.replaceAll(NO_BREAK, " ").trimEnd());
}
