import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nextSegment } from "../../src/records/next-segment.ts";
import { smallRun, writeRun } from "./support/small-run.ts";

test("a resume has a number that no segment has, also where a line that names one is lost", async () => {
  const dir = writeRun(smallRun());
  expect(await nextSegment(dir)).toBe(1);
  appendFileSync(join(dir, "rail.jsonl"), '{"kind":"segment","segment":1}\n');
  expect(await nextSegment(dir)).toBe(2);
  const events = join(dir, "events.jsonl");
  writeFileSync(events, readFileSync(events, "utf8").slice(5));
  expect(await nextSegment(dir)).toBe(2);
  expect(await nextSegment(join(dir, "no"))).toBe(0);
});
