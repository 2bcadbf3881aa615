import type { LogLine } from "../rails/meter.ts";
import { cleanText } from "../report/clean-text.ts";
import { wrap } from "../report/facts-table.ts";

/** An error for people: each of its lines on its own, clean and wrapped. */
export function errorText(message: string, width: number): string {
  const lines = message.split("\n").map((line, i) => {
    const indent = i === 0 ? "" : /^ */.exec(line)![0];
    const text = `${i === 0 ? "joulemark: " : ""}${cleanText(line)}`;
    return indent + wrap(text, width - indent.length - 2).join(`\n${indent}  `);
  });
  return lines.join("\n");
}

/** A line of a run's log for people, wrapped, its further lines moved in. */
export function logText({ level, text }: LogLine, width: number): string {
  const whole = `joulemark: ${level === "warn" ? "warning: " : ""}${cleanText(text)}`;
  return wrap(whole, width - 2).join("\n  ");
}
