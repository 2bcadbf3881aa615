import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Engine } from "../../../src/engine/start-engine.ts";
import {
  type Finished,
  optionsOf,
  runDecodeFloor,
  runSweep,
  startEngine,
} from "./support/small-sweep.ts";

const DOCS = readFileSync(new URL("../../../docs/records.md", import.meta.url), "utf8");

let engine: Engine;
let out: string;
let runs: readonly Finished[];

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), "joulemark-docs-"));
  engine = await startEngine();
  const options = optionsOf(engine, out, { outputTokens: [96], requests: 6 });
  // Of a calibrated card the readings stand in the files as the sensor said them.
  const calibrated = { ...options, meter: { ...options.meter, gain: 1.047 } };
  runs = [await runSweep(engine, calibrated), await runDecodeFloor(engine, options)];
}, 120_000);

afterAll(() => engine?.close());

/** The program that the page shows in this language, as a file. */
function program(language: string, file: string): string {
  const text = new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(DOCS)![1]!;
  const path = join(out, file);
  writeFileSync(path, text);
  return path;
}

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.each([
  ["js", process.execPath, "joules.mjs", true],
  ["python", "python3", "joules.py", hasPython],
])("the ten lines of %s give the joules of the record", (language, command, file, isThere) => {
  if (!isThere) return;
  const path = program(language, file);
  for (const { folder, record } of runs) {
    for (const { cell, metrics } of record.cells) {
      const said = execFileSync(command, [path, folder, String(cell)], { encoding: "utf8" });
      const joules = metrics["sim_rail_energy_j"]!;
      expect(joules).toBeGreaterThan(0);
      expect(Math.abs(Number(said) / joules - 1)).toBeLessThan(1e-6);
    }
  }
});

test("the page lists every key of a record", () => {
  const listed = new Set([...DOCS.matchAll(/`([A-Za-z0-9_]+)`/g)].map(([, key]) => key!));
  const general = (key: string): string =>
    key
      .replace(/_ci_(lo|hi)$/, "")
      .replace(/^c\d+_/, "")
      .replace(/_p\d+_/, "_pNN_")
      .replace(/(^|_)sim_rail_/, "$1RAIL_")
      .replace(/^steady_(?=RAIL_)/, "");
  const keys = runs.flatMap(({ record }) => Object.keys(record.metrics));
  expect(keys.length).toBeGreaterThan(80);
  expect(keys.map(general).filter((key) => !listed.has(key))).toEqual([]);
});

test("the page lists every reason of the schema", () => {
  const schema = readFileSync(new URL("../../../schema/record-1.json", import.meta.url), "utf8");
  const reasons: readonly string[] = JSON.parse(schema).$defs.reason.properties.reason.enum;
  expect(reasons.filter((reason) => !DOCS.includes(`\`${reason}\``))).toEqual([]);
});
