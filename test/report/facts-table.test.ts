import { expect, test } from "vitest";
import { factsTable, wrap } from "../../src/report/facts-table.ts";
import { joules, seconds } from "../../src/report/figures.ts";

test("values stand below each other, and none goes past 100 characters", () => {
  const long = "word ".repeat(60).trim();
  const table = factsTable(
    "title",
    [
      ["a", "1"],
      ["longer", [long, "2"]],
    ],
    { hasColour: false, width: 100 },
  );
  const lines = table.split("\n");
  expect(lines[0]).toBe("title");
  expect(lines[1]).toBe("  a       1");
  expect(lines.at(-1)).toBe("          2");
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(100);
  expect(table).not.toContain("\u001b");
  expect(factsTable("title", [["a", "1"]], { hasColour: true, width: 100 })).toContain(
    "\u001b[1mtitle",
  );
});

test("figures for people keep the digits that count", () => {
  expect(joules(2275.58)).toBe("2,275.6 J");
  expect(joules(28.2249)).toBe("28.22 J");
  expect(joules(-3.456)).toBe("-3.46 J");
  expect(seconds(6.128)).toBe("6.13 s");
  expect(seconds(1234.56)).toBe("1234.6 s");
});

test("a number and its unit stay on one line", () => {
  expect(wrap("it says 2,266.0 J (−8.4 %), since", 14)).toEqual([
    "it says",
    "2,266.0 J",
    "(−8.4 %),",
    "since",
  ]);
  expect(wrap("for 10 seconds", 6)).toEqual(["for 10", "seconds"]);
});
