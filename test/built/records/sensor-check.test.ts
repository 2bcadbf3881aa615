import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { schemaErrors } from "../../records/support/record-schema.ts";
import { cleanups } from "../../support/open-rail.ts";
import { optionsOf, rederive, runSweep, startEngine } from "./support/small-sweep.ts";

/** An engine whose sensor averages over so long, whatever the name of its GPU declares. */
async function engineWith(averagingMs: number) {
  const engine = await startEngine({ profile: "tiny" });
  cleanups.push(() => engine.close());
  const file = join(dirname(engine.nvidiaSmiPath), "scenario.json");
  const scenario = readFileSync(file, "utf8");
  expect(scenario).toContain('"averagingMs":1000');
  writeFileSync(file, scenario.replace('"averagingMs":1000', `"averagingMs":${averagingMs}`));
  return engine;
}

const out = mkdtempSync(join(tmpdir(), "joulemark-sensor-"));

/** Quiet before and load that lasts, both longer than any mean. */
function options(engine: Awaited<ReturnType<typeof engineWith>>) {
  const meter = { nvidiaSmiPath: engine.nvidiaSmiPath, periodMs: 50, settleMs: 1700, idleMs: 3500 };
  return optionsOf(engine, out, {
    meter,
    settleMs: 1700,
    concurrency: [2],
    warmup: { seconds: 3 },
  });
}

async function rederived(folder: string): Promise<void> {
  const file = join(folder, "record.json");
  const written = readFileSync(file, "utf8");
  await rederive(folder);
  expect(readFileSync(file, "utf8")).toBe(written);
}

describe("the sensor's averaging time in a run", () => {
  test("that is as declared is said once and changes nothing", async () => {
    const engine = await engineWith(1000);
    const { record, folder } = await runSweep(engine, options(engine));
    expect(record.sensorChecks).toMatchObject([{ declaredMs: 1000, verdict: "agrees" }]);
    expect(record.log.filter(({ text }) => text.includes("averaging time"))).toEqual([
      { level: "info", text: expect.stringMatching(/as declared$/) },
    ]);
    expect(record.warnings.join()).not.toContain("averaging time");
    expect(record.rail!.sensor).not.toHaveProperty("otherAveragingMs");
    expect(schemaErrors(record)).toEqual([]);
    await rederived(folder);
  });

  test.each([200, 2000])("that is %d ms in place of a second is a warning", async (averagingMs) => {
    const engine = await engineWith(averagingMs);
    const { record, folder } = await runSweep(engine, options(engine));
    const [check] = record.sensorChecks!;
    expect(check).toMatchObject({ declaredMs: 1000, verdict: "differs" });
    expect(check!.loMs).toBeLessThanOrEqual(averagingMs);
    expect(check!.hiMs).toBeGreaterThanOrEqual(averagingMs);
    expect(record.warnings).toContainEqual(expect.stringContaining("but 1.0 s is declared"));
    expect(record.rail!.sensor.otherAveragingMs).toBe(check!.averagingMs);
    expect(schemaErrors(record)).toEqual([]);
    await rederived(folder);
  });

  test("is checked by the window itself where there is no warm-up", async () => {
    const engine = await engineWith(200);
    const { requests: _requests, ...timed } = options(engine);
    const load = { durationS: 3, warmup: { rounds: 0 }, concurrency: [1, 2] };
    const { record, folder } = await runSweep(engine, { ...timed, ...load });
    expect(record.sensorChecks).toMatchObject([{ declaredMs: 1000, verdict: "differs" }]);
    await rederived(folder);
  });
});
