import { cleanText } from "./clean-text.ts";
import { wrap } from "./facts-table.ts";

/** Why something is absent or to be read with care: a stable code and words. */
export interface Why {
  readonly code: string;
  readonly text: string;
  /** The code is one of the record, which scripts may look for, so it is shown. */
  readonly isReason?: boolean;
}

/** The numbered notes below a table, in the order in which they were first asked for. */
export interface Footnotes {
  /**
   * The mark of a note, such as `²`. The same code gives the same mark: the first one's words
   * stand there, and that others differ in their figures is said.
   *
   * @param where - whose note it is, such as a cell's label.
   */
  mark(why: Why, where: string): string;
  /** The notes themselves, each wrapped to a width. */
  lines(width: number): readonly string[];
}

interface Note {
  readonly why: Why;
  readonly where: string;
  readonly texts: Set<string>;
  readonly places: Set<string>;
}

/** Collects the notes of one table. */
export function footnotes(): Footnotes {
  const notes = new Map<string, Note>();
  return {
    mark(why, where) {
      const note = notes.get(why.code) ?? { why, where, texts: new Set(), places: new Set() };
      notes.set(why.code, note);
      note.texts.add(why.text);
      note.places.add(where);
      return superscript([...notes.keys()].indexOf(why.code) + 1);
    },
    lines: (width) =>
      [...notes.values()].flatMap((note, i) => {
        const mark = superscript(i + 1).padEnd(2);
        const code = note.why.isReason ? ` [${cleanText(note.why.code)}]` : "";
        const [first = "", ...more] = wrap(`${textOf(note)}${code}`, width - 2);
        return [`${mark}${first}`, ...more.map((line) => `  ${line}`)];
      }),
  };
}

/** Where the words differ, they are those of the first place, which is named. */
function textOf({ why, where, texts, places }: Note): string {
  if (texts.size === 1) return why.text;
  const others = places.size - 1;
  const also =
    others < 1
      ? ""
      : `; like it, with other figures, ${others} more ${others === 1 ? "row" : "rows"}`;
  return `${cleanText(where)}: ${why.text}${also}`;
}

const DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function superscript(value: number): string {
  return [...String(value)].map((digit) => DIGITS[Number(digit)]).join("");
}
