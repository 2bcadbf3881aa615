import { InvalidArgumentError } from "commander";
import type { Warmup } from "../benchmarks/benchmark-options.ts";
import { readUserFile, UnreadableFile } from "./read-user-file.ts";
import { UsageError } from "./usage-error.ts";

/** A day: no time that is asked for is longer. */
const LONGEST_S = 86_400;

/** A time in seconds, 0 or more. */
export function seconds(text: string): number {
  const value = plainNumber(text);
  if (value === undefined || value > LONGEST_S)
    throw new InvalidArgumentError(`Give seconds, from 0 to ${LONGEST_S}, such as 2 or 0.5.`);
  return value;
}

export function positiveSeconds(text: string): number {
  const value = plainNumber(text);
  if (value === undefined || value === 0 || value > LONGEST_S)
    throw new InvalidArgumentError(
      `Give seconds, more than 0 and at most ${LONGEST_S}, such as 10.`,
    );
  return value;
}

/** A parser of whole numbers in a range. */
export function whole(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = wholeNumber(text, least, most);
    if (value === undefined)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`);
    return value;
  };
}

/** A parser of whole numbers with commas between, none of them twice. */
export function wholeList(
  least: number,
  most: number,
  example: string,
): (text: string) => readonly number[] {
  return (text) => {
    const values = text.split(",").map((part) => wholeNumber(part.trim(), least, most));
    const known = values.filter((value) => value !== undefined);
    if (known.length < values.length || new Set(known).size < known.length)
      throw new InvalidArgumentError(
        `Give whole numbers from ${least} to ${most} with commas between, none of them twice, such as ${example}.`,
      );
    return known;
  };
}

export function positive(example: string): (text: string) => number {
  return (text) => {
    const value = plainNumber(text);
    if (value === undefined || value === 0 || value === Number.POSITIVE_INFINITY)
      throw new InvalidArgumentError(`Give a number above 0, such as ${example}.`);
    return value;
  };
}

/** Rounds of the cell's concurrency, or a time with its unit. */
export function warmup(text: string): Warmup {
  const inSeconds = /^(.+)s$/.exec(text);
  const value = inSeconds ? plainNumber(inSeconds[1]!) : wholeNumber(text, 0, 1000);
  if (value === undefined || value > LONGEST_S)
    throw new InvalidArgumentError(
      "Give whole rounds from 0 to 1000, such as 1, or seconds with their unit, such as 5s.",
    );
  return inSeconds ? { seconds: value } : { rounds: value };
}

/** A path, which an empty text or the mark behind the flags is not. */
export function path(text: string): string {
  if (text === "" || text === "--") throw new InvalidArgumentError("Give a path.");
  return text;
}

/** Texts with commas between. */
export function textList(what: string, example: string): (text: string) => readonly string[] {
  return (text) => {
    const parts = text.split(",").map((part) => part.trim());
    if (parts.some((part) => part === ""))
      throw new InvalidArgumentError(`Give ${what} with commas between, such as ${example}.`);
    return parts;
  };
}

/** Fields that joulemark sets by itself, since its figures hang on them. */
const OWN_FIELDS = ["model", "messages", "prompt", "stream", "stream_options", "max_tokens", "n"];

const BODY_HELP = `give an object of JSON, such as '{"top_p": 0.9}', or @FILE that holds one`;

/**
 * The object of `--extra-body`. What was given is never repeated: it may hold a key.
 *
 * @throws {UsageError}
 */
export function extraBody(text: string): Readonly<Record<string, unknown>> {
  const from = text.startsWith("@") ? `--extra-body ${text}` : "--extra-body";
  let body: unknown;
  try {
    body = JSON.parse(text.startsWith("@") ? readUserFile(text.slice(1)) : text);
  } catch (error) {
    const isUnread = error instanceof UnreadableFile;
    const why = isUnread ? `could not be read (${error.message})` : "is no JSON";
    throw new UsageError(`${from} ${why}: ${BODY_HELP}`);
  }
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new UsageError(`${from} is no object: ${BODY_HELP}`);
  const own = OWN_FIELDS.filter((field) => field in body);
  if (own.length > 0)
    throw new UsageError(
      `${from} holds ${own.join(", ")}, which joulemark sets by itself: leave ${own.length === 1 ? "it" : "them"} out`,
    );
  return body as Readonly<Record<string, unknown>>;
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value >= least && value <= most ? value : undefined;
}

function plainNumber(text: string): number | undefined {
  return /^(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : undefined;
}
