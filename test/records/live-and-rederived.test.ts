import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusal } from "../../src/energy/rail-refusal.ts";
import { RailSampler } from "../../src/rails/sampler.ts";
import { CellAccumulator } from "../../src/records/cell-accumulator.ts";
import { cellRail } from "../../src/records/cell-rail.ts";
import { cellRecord } from "../../src/records/cell-record.ts";
import { deriveRecord } from "../../src/records/rederive.ts";
import type { RequestLine } from "../../src/records/request-line.ts";
import { requestLine } from "../../src/records/request-line-of.ts";
import type { CellRecord } from "../../src/records/run-record.ts";
import { planOf } from "./support/lines.ts";
import { errorOutcome, okOutcome } from "./support/outcomes.ts";
import { schemaErrors } from "./support/record-schema.ts";
import {
  FACTS,
  headerOf,
  METER,
  readings,
  segmentEvent,
  windowEvent,
  writeRun,
} from "./support/small-run.ts";

/** Replies as they come off a socket: times of any fraction of a µs, tokens in any events. */
const reply = fc.record({
  sentMs: fc.double({ min: 1000, max: 1300, noNaN: true }),
  gapsMs: fc.array(fc.double({ min: 0, max: 40, noNaN: true }), { maxLength: 8 }),
  isOk: fc.boolean(),
  hasCount: fc.boolean(),
  cached: fc.option(fc.nat(100)),
  steps: fc.boolean(),
});

type Reply = typeof reply extends fc.Arbitrary<infer T> ? T : never;

function lineOfReply(
  index: number,
  { sentMs, gapsMs, isOk, hasCount, cached, steps }: Reply,
): RequestLine {
  let atMs = sentMs;
  const tokenAtMs = Float64Array.from(gapsMs, (gapMs) => (atMs += gapMs));
  const facts = {
    startedMs: sentMs,
    sentMs,
    tokenAtMs,
    tokenEventCount: tokenAtMs.length,
    tokensByEvent: steps ? Uint32Array.from(gapsMs, (_, i) => i % 3) : null,
    completionTokens: hasCount ? tokenAtMs.length : null,
    tokenSource: hasCount ? ("usage" as const) : ("absent" as const),
    cachedPromptTokens: cached,
    firstTokenMs: tokenAtMs[0] ?? null,
    lastTokenMs: tokenAtMs.at(-1) ?? null,
    endMs: atMs + 0.0004,
  };
  const outcome = isOk ? okOutcome(facts) : errorOutcome(facts);
  return requestLine({ index, sendLagMs: 0, outcome }, { cell: 0, segment: 0, phase: "window" });
}

/** What a window is judged with, besides its requests. */
interface Around {
  /** When, in ms. */
  readonly judgedMs: number;
  readonly loadW: number;
  /** Of what the steady part is a whole multiple, in ms. */
  readonly stepMs: number | undefined;
  readonly seen: Pick<ReturnType<typeof windowEvent>, "reasons" | "warnings">;
}

const around = fc.record({
  judgedMs: fc.constantFrom(1100, 1400, 1800),
  // As idle, or so little more that it does not count; a little more; much more.
  loadW: fc.constantFrom(100, 100.4, 101, 300),
  stepMs: fc.constantFrom(undefined, 20, 100),
  seen: fc.constantFrom(
    {},
    { reasons: [refusal("rail_foreign_load", "pid 7 works")], warnings: ["pid 8 came"] },
  ),
});

const wattsOf =
  (loadW: number) =>
  (atMs: number): number =>
    atMs < 1000 ? 100 : loadW;

/** The cell as a run has it in its hands when its window is over. */
function live(
  lines: readonly RequestLine[],
  plan: ReturnType<typeof planOf>,
  { judgedMs, loadW, seen, stepMs }: Around,
): CellRecord {
  const event = windowEvent(0, 1000, { requests: lines.length, ...seen });
  const accumulator = new CellAccumulator(plan, stepMs);
  for (const line of lines) accumulator.add(line);
  const sampler = new RailSampler(FACTS, {
    drain() {},
    stop: () => Promise.reject(new Error("never")),
  });
  for (const line of readings(judgedMs, wattsOf(loadW)))
    if (line.kind === "read") sampler.accept(line);
  const idle = sampler.judgeIdle(0, 900);
  const rail = {
    sampler,
    absent: undefined,
    idle: idle.state === "measured" ? idle : undefined,
    idleLevels: sampler.idleLevels(0, 900),
    idleReasons: [],
  };
  const requests = accumulator.finish(event);
  return cellRecord(requests, cellRail(requests, rail, event));
}

describe("a cell as it was seen live", () => {
  test("is what its files give, to the last digit, whatever its requests did", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(reply, { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        around,
        async (replies, concurrency, what) => {
          const lines = replies.map((one, i) => lineOfReply(i, one));
          const plan = planOf({ concurrency, requests: Math.max(1, lines.length) });
          const dir = writeRun({
            header: headerOf({ cells: [plan] }),
            events: [
              segmentEvent(0),
              METER,
              { event: "cell_started", atMs: 1000, cell: 0 },
              windowEvent(0, 1000, {
                requests: lines.length,
                railLines: 2 + what.judgedMs / 100,
                ...(what.stepMs === undefined ? {} : { steadyStepMs: what.stepMs }),
                ...what.seen,
              }),
              { event: "ended", atMs: 2900, isInterrupted: false },
            ],
            // What came after the window was judged must not be looked at.
            rail: [
              { kind: "segment", segment: 0 },
              { kind: "facts", facts: FACTS },
              ...readings(2900, wattsOf(what.loadW)),
              { kind: "ended", atMs: 2900, why: "the GPU is lost" },
            ],
            requests: lines,
            log: [],
          });
          const record = await deriveRecord(dir);
          expect(record.damage).toEqual([]);
          const [cell] = record.cells;
          expect(JSON.stringify(cell)).toBe(JSON.stringify(live(lines, plan, what)));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("the estimate of a window whose rail has two columns", () => {
  const second = {
    field: "power.draw.instant",
    sensor: { averagingMs: 100, updateMs: 100, kind: "instant" },
  } as const;
  const facts = { ...FACTS, fields: ["power.draw.average", second.field], second };

  test("is the same to the bit when the record is made of the raw files again", async () => {
    // Long enough around the window for any sensor of a second.
    const lines = readings(9000, (atMs) => 200 + ((atMs * 7919) % 1009) / 7).map((line) =>
      line.kind === "read"
        ? { ...line, samples: line.samples.map((one) => ({ ...one, instantW: one.powerW * 0.99 })) }
        : line,
    );
    const event = windowEvent(0, 4000, { endMs: 6000, railLines: 1 + 91, requests: 0 });
    const sampler = new RailSampler(facts, {
      drain() {},
      stop: () => Promise.reject(new Error("never")),
    });
    for (const line of lines) if (line.kind === "read") sampler.accept(line);
    const window = sampler.judge(4000, 6000);
    if (window.state === "refused" || !window.estimate || !window.second)
      throw new Error("there is no estimate to be held against");

    const record = await deriveRecord(
      writeRun({
        header: headerOf({ cells: [planOf()] }),
        events: [segmentEvent(0), { ...METER, railLines: 11 }, event],
        rail: [{ kind: "segment", segment: 0 }, { kind: "facts", facts }, ...lines],
        requests: [],
        log: [],
      }),
    );
    const { metrics, energyMethod } = record.cells[0]!;
    expect(energyMethod).toBe(window.estimate.method);
    expect(metrics["gpu_rail_energy_est_j"]).toBe(window.estimate.energyJ);
    expect(metrics["gpu_rail_energy_est_lo_j"]).toBe(window.estimate.loJ);
    expect(metrics["gpu_rail_energy_est_hi_j"]).toBe(window.estimate.hiJ);
    expect(metrics["gpu_rail_instant_est_j"]).toBe(window.second.estimate.energyJ);
    expect(metrics["gpu_rail_energy_j"]).toBe(window.energyJ);
    expect(record.rail?.second).toEqual(second);
    expect(schemaErrors(record)).toEqual([]);
  });
});
