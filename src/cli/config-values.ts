import { type Command, InvalidArgumentError, type Option } from "commander";
import { cleanText, shorten } from "../report/clean-text.ts";
import { UsageError } from "./usage-error.ts";

/** Values for flags that stand somewhere else than on the command line. */
export interface FlagValues {
  /** What they are called in errors, such as `--config bench.yaml`. */
  readonly origin: string;
  /** By the flags' names without dashes. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** What such a value says may be a key by mistake, so that no error repeats it. */
const NEVER_SHOWN = ["target", "api-key-env", "header-env", "extra-body"];

/**
 * Gives a command the flags that it was not given on its line, nor by an environment variable.
 *
 * @throws {UsageError} that names every key and value that cannot be, and what would be right.
 */
export function applyValues(command: Command, { origin, values }: FlagValues): void {
  const options = configurable(command);
  const problems: string[] = [];
  for (const [key, value] of Object.entries(values)) {
    const option = options.find((one) => one.name() === key);
    if (option === undefined) {
      const names = options.map((one) => one.name()).join(", ");
      problems.push(
        `${shorten(cleanText(key), 60)} is no flag of ${command.name()}: the keys are ${names}`,
      );
      continue;
    }
    try {
      const parsed = parseValue(option, value);
      if (!isGiven(command, option))
        command.setOptionValueWithSource(option.attributeName(), parsed, "config");
    } catch (error) {
      if (!(error instanceof InvalidArgumentError || error instanceof UsageError)) throw error;
      const shown = NEVER_SHOWN.includes(key)
        ? ""
        : ` ${cleanText(JSON.stringify(value))} is invalid.`;
      problems.push(`${key}:${shown} ${error.message}`);
    }
  }
  if (problems.length > 0) throw new UsageError([`${origin}:`, ...problems].join("\n  "));
}

/** Whether a flag stands on the line or in the environment: then nothing else says its value. */
export function isGiven(command: Command, option: Option): boolean {
  return ["cli", "env"].includes(command.getOptionValueSource(option.attributeName()) ?? "");
}

/** The flags that may stand in a file. */
function configurable(command: Command): readonly Option[] {
  return command.options.filter((option) => option.name() !== "config");
}

/** A value as the command line would have it, judged by the flag itself. */
function parseValue(option: Option, value: unknown): unknown {
  if (option.isBoolean()) {
    if (typeof value !== "boolean") throw new InvalidArgumentError("Give true or false.");
    // A flag that is off is one that was not given.
    return value ? true : undefined;
  }
  if (option.name() === "header-env") {
    const all = Array.isArray(value) ? value : [value];
    return all.reduce<unknown>((before, one) => option.parseArg?.(textOf(one), before), undefined);
  }
  const text = option.name() === "extra-body" ? bodyText(value) : listText(option, value);
  return option.parseArg === undefined ? text : option.parseArg(text, undefined);
}

function bodyText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function listText(option: Option, value: unknown): string {
  const isList = option.flags.includes("<list>") && Array.isArray(value);
  return isList ? value.map(textOf).join(",") : textOf(value);
}

function textOf(value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  if (typeof value === "number" && Number.isFinite(value)) return String(value);
  throw new InvalidArgumentError("Give one text or number.");
}
