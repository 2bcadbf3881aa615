import { createReadStream } from "node:fs";
import { basename } from "node:path";
import type { Damage } from "./damage.ts";
import type { Shape } from "./shape.ts";

/** In characters. The longest line that a run writes, of a reply of millions of tokens, is shorter. */
const LONGEST_LINE = 1 << 26;

/** One line of a file. */
export interface Entry<T> {
  /** From 1. */
  readonly line: number;
  /** Absent for a line that says nothing: it was told, and keeps its place. */
  readonly value: T | undefined;
}

export interface ReadEntries {
  readonly shape: Shape;
  readonly damage: Damage;
}

/**
 * The lines of a `.jsonl` file, one after the other; of a file that is not there, none.
 *
 * A line that cannot be read is told: a run that was killed leaves half of one, and a run that went
 * on after that has it in the middle.
 */
export async function* readEntries<T>(
  path: string,
  { shape, damage }: ReadEntries,
): AsyncGenerator<readonly Entry<T>[]> {
  const name = basename(path);
  let number = 0;
  const read = (line: string | undefined): Entry<T>[] => {
    number++;
    if (line === "") return [];
    const { value, problem } = parsed(line, shape);
    if (problem !== undefined) damage.line(name, number, problem);
    return [{ line: number, value: value as T | undefined }];
  };
  try {
    for await (const lines of linesOf(path)) yield lines.flatMap(read);
  } catch (error) {
    const why = unreadable(error);
    if (why === undefined) throw error;
    damage.tell(`${name}: it cannot be read (${why}), and nothing is taken from it`);
  }
}

const UNREADABLE: Readonly<Record<string, string>> = {
  EISDIR: "it is a directory",
  EACCES: "no permission",
  EPERM: "no permission",
  ELOOP: "a link that leads to itself",
};

/** Why a file that is there cannot be opened; `undefined` for any other error. */
export function unreadable(error: unknown): string | undefined {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === "string" && Object.hasOwn(UNREADABLE, code) ? UNREADABLE[code] : undefined;
}

/** Lines without their ends; `undefined` for one that is too long to be kept. */
async function* linesOf(path: string): AsyncGenerator<readonly (string | undefined)[]> {
  let rest: string[] = [];
  let restLength = 0;
  const whole = (): string | undefined => (restLength > LONGEST_LINE ? undefined : rest.join(""));
  const add = (text: string): void => {
    restLength += text.length;
    if (restLength > LONGEST_LINE) rest = [];
    else rest.push(text);
  };
  try {
    for await (const chunk of createReadStream(path, {
      encoding: "utf8",
      highWaterMark: 1 << 18,
    }) as AsyncIterable<string>) {
      const [first = "", ...more] = chunk.split("\n");
      add(first);
      const last = more.pop();
      if (last === undefined) continue;
      const lines = [whole(), ...more];
      rest = [last];
      restLength = last.length;
      yield lines;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if (restLength > 0) yield [whole()];
}

interface Parsed {
  readonly value?: unknown;
  readonly problem?: string;
}

function parsed(line: string | undefined, shape: Shape): Parsed {
  if (line === undefined) return { problem: "too long" };
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { problem: "not whole" };
  }
  const wrong = shape(value);
  if (wrong === undefined) return { value };
  return { problem: wrong === "" ? "no entry" : `${wrong.slice(1)} is not what it must be` };
}
