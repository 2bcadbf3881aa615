import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { StepFile } from "../../../src/engine/nvidia-smi/step-file.ts";
import { StepWriter, type StepWriterOptions } from "../../../src/engine/rail/step-writer.ts";

const ORIGIN_NS = 5_000_000_000n;

function written(more: Partial<StepWriterOptions> = {}) {
  const dir = mkdtempSync(join(tmpdir(), "joulemark-steps-"));
  const path = join(dir, "gpu-0.jsonl");
  const writer = new StepWriter(path, { originNs: ORIGIN_NS, limitW: 700, ...more });
  onTestFinished(() => {
    writer.close();
    rmSync(dir, { recursive: true, force: true });
  });
  return { path, writer };
}

const linesOf = (path: string) => readFileSync(path, "utf8").split("\n").slice(0, -1);

test("a line says when, how much, and how long the limit was felt before", () => {
  const { path, writer } = written();
  writer.add(0, 100, false);
  writer.add(1_000_000, 700, true);
  writer.add(4_000_000, 650, true);
  writer.add(9_000_000, 700, false);
  writer.add(9_500_000, 100, false);
  writer.flush();
  expect(linesOf(path)).toEqual([
    '{"atNs":"5000000000","powerW":100,"cappedUs":0}',
    '{"atNs":"5001000000","powerW":700,"cappedUs":0}',
    '{"atNs":"5004000000","powerW":650,"cappedUs":3000}',
    '{"atNs":"5009000000","powerW":700,"cappedUs":3000}',
    '{"atNs":"5009500000","powerW":100,"cappedUs":3000}',
  ]);
});

test("what changes nothing is not written", () => {
  const { path, writer } = written();
  for (let i = 0; i < 10; i++) writer.add(i, i < 5 ? 100 : 200, false);
  writer.flush();
  expect(linesOf(path)).toHaveLength(2);
});

test("a file stays short for ever, and whoever reads it on misses nothing", () => {
  const mostBytes = 50_000;
  const { path, writer } = written({ mostBytes });
  const reader = new StepFile(path, ORIGIN_NS);
  onTestFinished(() => reader.close());
  const seen: number[] = [];
  let largest = 0;
  for (let i = 1; i <= 20_000; i++) {
    writer.add(i * 10_000_000, i, false);
    writer.flush();
    largest = Math.max(largest, statSync(path).size);
    if (i % 500 === 0) seen.push(...reader.readOn().map(({ powerW }) => powerW));
  }
  expect(largest).toBeLessThan(mostBytes + 100);
  expect(existsSync(`${path}.next`)).toBe(false);
  expect(seen.at(-1)).toBe(20_000);
  expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  expect(new Set(seen).size).toBe(seen.length);
  // Whoever reads too seldom still finds the last three seconds each time.
  for (let i = 500; i <= 20_000; i += 500) {
    expect(seen).toEqual(expect.arrayContaining([i - 299, i - 150, i]));
  }
  const late = new StepFile(path, ORIGIN_NS);
  onTestFinished(() => late.close());
  const lateWatts = late.readOn().map(({ powerW }) => powerW);
  expect(lateWatts.length).toBeGreaterThan(299);
  expect(lateWatts.at(-1)).toBe(20_000);
});

test("a short file begins with what was drawn before, however long ago that began", () => {
  const { path, writer } = written({ mostBytes: 60 });
  for (const [atS, powerW] of [
    [0, 500],
    [100, 400],
    [200, 300],
  ] as const) {
    writer.add(atS * 1e9, powerW, false);
    writer.flush();
  }
  expect(linesOf(path).map((line) => JSON.parse(line).powerW)).toEqual([400, 300]);
});
