import type { LogLine } from "../rails/meter.ts";
import { wrap } from "../report/facts-table.ts";

/** A line of a run's log for people, wrapped, its further lines moved in. */
export function logText({ level, text }: LogLine, width: number): string {
  const whole = `joulemark: ${level === "warn" ? "warning: " : ""}${text}`;
  return wrap(whole, width - 2).join("\n  ");
}
