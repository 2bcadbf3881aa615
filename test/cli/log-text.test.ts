import { expect, test } from "vitest";
import { errorText } from "../../src/cli/log-text.ts";

test("an error is wrapped, each of its lines on its own, and obeys nobody", () => {
  const text = errorText(`--config x:\n  a\u001b[31mb is no flag: ${"word ".repeat(40)}`, 60);
  const lines = text.split("\n");
  expect(lines[0]).toBe("joulemark: --config x:");
  expect(lines[1]).toMatch(/^ {2}a \[31mb is no flag: word/);
  expect(lines[2]).toMatch(/^ {4}word/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(60);
  expect(errorText(`no answer ${"x ".repeat(100)}`, 60).split("\n")[1]).toMatch(/^ {2}x/);
});
