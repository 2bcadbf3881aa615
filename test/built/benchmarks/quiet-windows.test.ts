import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { PowerModel } from "../../../src/engine/nvidia-smi/scenario.ts";
import type { Engine } from "../../../src/engine/start-engine.ts";
import type { RunEvent } from "../../../src/records/run-event.ts";
import { gpu } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";
import { optionsOf, runSweep, startEngine } from "../records/support/small-sweep.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await startEngine();
}, 60_000);
afterAll(() => engine?.close());

/** From one update of the sensor to the next this moves by far more than still power may. */
const SAW_TOOTH: PowerModel = {
  kind: "steps",
  steps: Array.from({ length: 1000 }, (_, i) => ({ atMs: 100 * i, powerW: 100 + 60 * (i % 10) })),
};

/** How long a sweep of one cell settles before its window, in ms, on a rail that never stands still. */
async function settledMs(settle: { readonly settleMs?: number }): Promise<number> {
  const device = gpu(0, { power: SAW_TOOTH, averagingMs: 100 });
  const standIn = await installStandIn({ devices: [device] });
  try {
    const out = mkdtempSync(join(tmpdir(), "joulemark-quiet-"));
    const { settleMs: _given, ...options } = optionsOf(engine, out, { concurrency: [1] });
    const meter = { nvidiaSmiPath: standIn.path, periodMs: 50, idleMs: 400, ...settle };
    const { folder } = await runSweep(engine, { ...options, meter, ...settle, requests: 1 });
    const events = readFileSync(join(folder, "events.jsonl"), "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as RunEvent)
      .filter((event) => event.event === "phase");
    const settling = events.findIndex(({ phase }) => phase === "settle");
    expect(events[settling + 1]!.phase).toBe("window");
    return events[settling + 1]!.atMs - events[settling]!.atMs;
  } finally {
    await standIn.remove();
  }
}

describe("a window on a rail whose power does not stand still", () => {
  test("waits for it longer than the settle time, and not for ever", async () => {
    expect(await settledMs({})).toBeGreaterThanOrEqual(1200 + 4000);
  }, 60_000);

  test("waits no longer than was asked for, where something was", async () => {
    const [asked, byItself] = [await settledMs({ settleMs: 300 }), 1200 + 4000];
    expect(asked).toBeGreaterThanOrEqual(299);
    expect(asked).toBeLessThan(byItself);
  }, 60_000);
});
