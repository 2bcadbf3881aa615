import { expect, test } from "vitest";
import { errorText, logText } from "../../src/cli/log-text.ts";

test("an error is wrapped, each of its lines on its own, and obeys nobody", () => {
  const text = errorText(`--config x:\n  a\u001b[31mb is no flag: ${"word ".repeat(40)}`, 60);
  const lines = text.split("\n");
  expect(lines[0]).toBe("joulemark: --config x:");
  expect(lines[1]).toMatch(/^ {2}a \[31mb is no flag: word/);
  expect(lines[2]).toMatch(/^ {4}word/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  expect(errorText(`no answer ${"x ".repeat(100)}`, 60).split("\n")[1]).toMatch(/^ {2}x/);
});

test("a line of the log shows what a server said, and obeys nobody", () => {
  const line = { level: "warn", text: "it says \u001b]0;mine\u0007 and \u202e goes on" } as const;
  expect(logText(line, 80)).toBe("joulemark: warning: it says ]0;mine and goes on");
});
