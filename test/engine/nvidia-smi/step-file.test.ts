import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { openPowerSignal } from "../../../src/engine/nvidia-smi/power-signal.ts";
import { StepFile } from "../../../src/engine/nvidia-smi/step-file.ts";
import { JoulemarkError } from "../../../src/errors.ts";
import { gpu } from "./child.ts";

function newPath(): string {
  const dir = mkdtempSync(join(tmpdir(), "joulemark-steps-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, "steps.jsonl");
}

/** Lines of steps, each as many ms and watts as its number. */
function lines(from: number, to: number, more: (i: number) => object = () => ({})): string {
  return Array.from({ length: to - from }, (_, n) => {
    const i = from + n;
    return `${JSON.stringify({ atNs: String(i * 1_000_000), powerW: i, ...more(i) })}\n`;
  }).join("");
}

function opened(path: string): StepFile {
  const file = new StepFile(path, 0n);
  onTestFinished(() => file.close());
  return file;
}

const wattsOf = (file: StepFile) => file.readOn().map(({ powerW }) => powerW);

describe("a steps file", () => {
  test("is read once, line by line, also when a line comes in two parts", () => {
    const path = newPath();
    const file = opened(path);
    expect(wattsOf(file)).toEqual([]);
    writeFileSync(path, lines(1, 3));
    expect(wattsOf(file)).toEqual([1, 2]);
    const line = lines(3, 4);
    appendFileSync(path, line.slice(0, 10));
    expect(wattsOf(file)).toEqual([]);
    appendFileSync(path, line.slice(10));
    expect(wattsOf(file)).toEqual([3]);
  });

  test("that is long is read from its last 256 kB, from the first whole line", () => {
    const path = newPath();
    writeFileSync(path, lines(0, 100_000));
    const watts = wattsOf(opened(path));
    expect(watts.at(-1)).toBe(99_999);
    expect(watts).toEqual(watts.map((_, i) => 100_000 - watts.length + i));
    const bytes = lines(100_000 - watts.length, 100_000).length;
    expect(bytes).toBeLessThanOrEqual(262_144);
    expect(bytes).toBeGreaterThan(262_000);
  });

  test("that another takes the place of is read to its end, and the new one from there", () => {
    const path = newPath();
    writeFileSync(path, lines(0, 10));
    const file = opened(path);
    expect(wattsOf(file)).toHaveLength(10);
    appendFileSync(path, lines(10, 12));
    writeFileSync(`${path}.next`, lines(8, 15));
    renameSync(`${path}.next`, path);
    expect(wattsOf(file)).toEqual([10, 11, 12, 13, 14]);
    appendFileSync(path, lines(15, 16));
    expect(wattsOf(file)).toEqual([15]);
  });

  test.each(['{"atNs":"1"}', '{"atNs":"x","powerW":1}', '{"atNs":"1","powerW":1,"cappedUs":-1}'])(
    "with the line %s is refused",
    (line) => {
      const path = newPath();
      writeFileSync(path, `${line}\n`);
      expect(() => opened(path).readOn()).toThrow(JoulemarkError);
    },
  );
});

describe("the time capped", () => {
  const power = (path: string) => ({ kind: "steps-file", path, idleW: 1 }) as const;
  const signalOf = (path: string) =>
    openPowerSignal(gpu(0, { power: power(path), powerLimitW: 700 }), { originNs: 0n, seed: 1 });

  test("is right for a reading that begins behind most of a long file", () => {
    const path = newPath();
    // Every other millisecond is at the limit.
    const more = (i: number) => ({ powerW: i % 2 ? 700 : 100, cappedUs: Math.floor(i / 2) * 1000 });
    writeFileSync(path, lines(0, 50_001, more));
    const signal = signalOf(path);
    expect(signal.readAt(50_000.5)).toMatchObject({ isCapped: false, cappedUs: 25_000_000 });
    appendFileSync(path, lines(50_001, 50_002, more));
    expect(signal.readAt(50_001.25)).toMatchObject({ isCapped: true, cappedUs: 25_000_250 });
    expect(signal.readAt(50_003)).toMatchObject({ isCapped: true, cappedUs: 25_002_000 });
  });

  test("is counted from the first step where the lines do not tell it", () => {
    const path = newPath();
    writeFileSync(
      path,
      lines(0, 20, (i) => ({ powerW: i % 2 ? 700 : 100 })),
    );
    expect(signalOf(path).readAt(18.5).cappedUs).toBe(9000);
  });
});
