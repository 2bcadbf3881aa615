import { describe, expect, test } from "vitest";
import { cellLine } from "../../src/report/cell-line.ts";
import { cleanText, shorten } from "../../src/report/clean-text.ts";
import { columnsTable, GAP } from "../../src/report/columns-table.ts";
import { clockTime, roughDuration } from "../../src/report/duration.ts";
import { digitsFor, figureOf, number, shortNumber } from "../../src/report/figure.ts";
import { fitColumns } from "../../src/report/fit-columns.ts";
import { footnotes } from "../../src/report/footnotes.ts";
import { cell, estimated, floorRun, GAP_REASON, plain, unmeasured } from "./records.ts";

describe("columns", () => {
  test("stand below their heads, whose lines end at the bottom", () => {
    const table = columnsTable(
      [{ head: "name" }, { head: "mean\nW", isNumber: true }],
      [["a", "1.5"], GAP, ["longer", "1,200"]],
      false,
    );
    expect(table.split("\n")).toEqual([
      "         mean",
      "name        W",
      "a         1.5",
      "",
      "longer  1,200",
    ]);
  });

  test("give way by their rank, and those left out are named", () => {
    const column = (head: string, rank: number) => ({ head, rank, cells: ["x".repeat(10)] });
    const columns = [column("a", 10), column("b\nms", 1), column("c", 2), column("d", 10)];
    expect(fitColumns(columns, 100).dropped).toEqual([]);
    expect(fitColumns(columns, 46).dropped).toEqual([]);
    expect(fitColumns(columns, 45).dropped).toEqual(["b ms"]);
    expect(fitColumns(columns, 33).dropped).toEqual(["b ms", "c"]);
    // What the table is about stays, though it does not fit.
    expect(fitColumns(columns, 5).kept.map(({ head }) => head)).toEqual(["a", "d"]);
  });
});

describe("footnotes", () => {
  test("the same reason has one number, and others' figures are said to differ", () => {
    const notes = footnotes();
    const gap = (text: string) => ({ code: "rail_gap", text, isReason: true });
    expect(notes.mark(gap("1.3 s"), "2 at once")).toBe("¹");
    expect(notes.mark({ code: "x", text: "another" }, "2 at once")).toBe("²");
    expect(notes.mark(gap("1.3 s"), "2 at once")).toBe("¹");
    expect(notes.lines(80)).toEqual(["¹ 1.3 s [rail_gap]", "² another"]);
    notes.mark(gap("2.1 s"), "4 at once");
    notes.mark(gap("2.2 s"), "8 at once");
    expect(notes.lines(80)[0]).toBe(
      "¹ 2 at once: 1.3 s; like it, with other figures, 2 more rows [rail_gap]",
    );
  });

  test("the tenth has two digits", () => {
    const notes = footnotes();
    const marks = Array.from({ length: 12 }, (_, i) => notes.mark({ code: `c${i}`, text: "" }, ""));
    expect(marks.slice(8)).toEqual(["⁹", "¹⁰", "¹¹", "¹²"]);
  });
});

describe("figures", () => {
  test("one value has the interval that it brings, several have their own on top of theirs", () => {
    expect(figureOf([{ value: 3 }])).toEqual({ value: 3 });
    expect(figureOf([{ value: 3, lo: 2, hi: 5 }])).toEqual({
      value: 3,
      interval: { lo: 2, hi: 5 },
    });
    const two = figureOf([
      { value: 10, lo: 10, hi: 13 },
      { value: 12, lo: 12, hi: 15 },
    ]);
    // Student of two values: 12.7062 × √2 / √2.
    expect(two).toMatchObject({ value: 11 });
    expect("interval" in two && two.interval?.lo).toBeCloseTo(11 - 12.7062, 3);
    expect("interval" in two && two.interval?.hi).toBeCloseTo(11 + Math.hypot(12.7062, 3), 3);
    const bare = figureOf([{ value: 10, lo: 10, hi: 13 }, { value: 12 }]);
    expect("interval" in bare && bare.interval?.hi).toBeCloseTo(11 + 12.7062, 3);
  });

  test("what is not known is absent, never zero", () => {
    const why = { absent: { code: "a", text: "b" } };
    expect(figureOf([why, why])).toEqual(why);
    expect(figureOf([why, { value: 2 }])).toEqual({ value: 2 });
    expect(figureOf([])).toMatchObject({ absent: { code: "not_measured" } });
  });

  test("a column has as many digits as its smallest figure needs for three that count", () => {
    expect(digitsFor([{ value: 4.4 }, { value: 0.153 }])).toBe(3);
    expect(digitsFor([{ value: 55.21 }, { value: 1203 }])).toBe(1);
    expect(digitsFor([{ value: 243 }])).toBe(0);
    expect(digitsFor([{ value: 0.000_01 }])).toBe(3);
    expect(digitsFor([{ value: 0 }, { absent: { code: "", text: "" } }])).toBe(0);
    expect(number(-1234.5, 1)).toBe("−1,234.5");
    expect([1234.4, 99.94, 6.2, 0.1234].map(shortNumber)).toEqual([
      "1,234",
      "99.9",
      "6.20",
      "0.123",
    ]);
  });
});

describe("times for people", () => {
  test.each([
    [0.2, "1 s"],
    [99, "99 s"],
    [100, "2 min"],
    [3600, "60 min"],
    [7200, "2 h"],
    [8400, "2 h 20 min"],
  ])("%d s is %s", (seconds, words) => {
    expect(roughDuration(seconds)).toBe(words);
  });

  test.each([
    [0, "0:00"],
    [67.9, "1:07"],
    [3723, "1:02:03"],
    [-1, "0:00"],
  ])("%d s have run: %s", (seconds, words) => {
    expect(clockTime(seconds)).toBe(words);
  });
});

describe("texts of others", () => {
  test("are on one line and obey nobody", () => {
    expect(cleanText(" a\u001b[31mb\r\n\tc\u202e ")).toBe("a [31mb c");
  });

  test("lose their middle where they are too long", () => {
    expect(shorten("abcdefghij", 10)).toBe("abcdefghij");
    expect(shorten("abcdefghij", 7)).toBe("abc…hij");
    expect(shorten("abcdefghij", 1)).toHaveLength(2);
  });
});

describe("a finished cell on one line", () => {
  test("tells its figures", () => {
    expect(cellLine(cell(4))).toBe(
      "4 at once: 202 tok/s, TTFT 48.9 ms, TPOT 18.2 ms, 1.44 J/token, 291 W",
    );
    expect(cellLine(floorRun(1))).toContain("TTFT 41.0 ms, TPOT 16.1 ms");
  });

  test("shows the estimate, says where there is only the plain integral, and what else was read", () => {
    const { metrics, ...rest } = cell(4);
    const two = { ...metrics, ...estimated(2000, 1000), gpu_rail_instant_est_j: 1980 };
    expect(cellLine({ ...rest, metrics: two })).toContain("2.00 J/token, 291 W, instant −1.0 %");
    expect(cellLine(plain(4))).toContain("1.44 J/token (plain integral)");
  });

  test("tells why there is no energy, and what speaks against it", () => {
    const { metrics, ...rest } = cell(4);
    const marked = {
      ...rest,
      metrics: { output_tok_s: metrics["output_tok_s"]! },
      isComparable: false,
      validity: [GAP_REASON],
      counts: { ok: 14, failed: 2, failedByKind: {}, notSent: 0 },
    };
    expect(cellLine(marked)).toBe(
      "4 at once: 202 tok/s, TTFT 48.9 ms, TPOT 18.2 ms, no energy (rail_gap), 2 FAILED, not comparable",
    );
    expect(cellLine(unmeasured(4))).toBe("4 at once: not measured");
  });
});
