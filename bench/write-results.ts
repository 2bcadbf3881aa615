import { mkdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";

/** Keeps a benchmark's figures as `bench/results/<name>.json`, with the machine they are from. */
export function writeResults(name: string, results: object): void {
  mkdirSync("bench/results", { recursive: true });
  const path = `bench/results/${name}.json`;
  const machine = { node: process.version, cores: cpus().length, cpu: cpus()[0]?.model };
  const record = { benchmark: name, at: new Date().toISOString(), machine, ...results };
  writeFileSync(path, `${JSON.stringify(record, null, 2)}\n`);
  console.log(`\nwritten: ${path}`);
}
