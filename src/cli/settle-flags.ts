import { type Command, Option } from "commander";
import { seconds } from "./parse-values.ts";
import { UsageError } from "./usage-error.ts";

/** The flags about quiet time, as the parser gives them. */
export interface SettleFlags {
  readonly settle?: number;
  readonly noSettle?: boolean;
}

/** @param where - where the quiet time is, in words for the help. */
export function settleOptions(where: string): readonly Option[] {
  const none = new Option(
    "--no-settle",
    "no quiet time before windows: quicker, and the intervals of the energy are wider; the readings that a window itself needs are waited for",
  );
  // A flag of its own, so that it is seen when both are given.
  none.negate = false;
  return [
    new Option(
      "--settle <s>",
      `quiet time ${where}, in seconds (default: what the sensor needs, and until the power stands still)`,
    ).argParser(seconds),
    none,
  ];
}

/**
 * The quiet time that was asked for, in s; `undefined` when none was. The one on the line wins over
 * the one of a file.
 *
 * @throws {UsageError} when both stand in the same place.
 */
export function settleSeconds(command: Command): number | undefined {
  const { settle, noSettle } = command.opts<SettleFlags>();
  if (noSettle !== true) return settle;
  if (settle === undefined) return 0;
  const [ofTime, ofNone] = ["settle", "noSettle"].map((name) => command.getOptionValueSource(name));
  if (ofTime === ofNone)
    throw new UsageError(
      `--settle ${settle} and --no-settle say two things: give one of them (--no-settle is --settle 0)`,
    );
  command.setOptionValue(ofTime === "cli" ? "noSettle" : "settle", undefined);
  return ofTime === "cli" ? settle : 0;
}
