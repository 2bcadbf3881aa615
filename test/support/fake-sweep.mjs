// A sweep that measures nothing, for the screen alone: node fake-sweep.mjs TIME_SCALE sweep FLAGS…

import { planSweep } from "../../dist/benchmarks/plan-sweep.js";
import { catchInterrupts } from "../../dist/cli/interrupts.js";
import { terminalOutput } from "../../dist/cli/output.js";
import { program } from "../../dist/cli/program.js";
import { nowMs } from "../../dist/clock.js";

const scale = Number(process.argv[2]);
const summary = (p50) => ({
  n: 128,
  mean: p50,
  percentiles: { p50, p90: p50 * 1.2, p95: p50 * 1.3, p99: p50 * 1.5 },
  isExact: true,
  relativeError: 0,
});

const jobs = {
  sweep(options, signal) {
    const plans = planSweep(options);
    const now = { phase: "probe", cellsDone: 0, cells: plans.length, startedMs: nowMs() };
    const idle = { inFlight: 0, endedRequests: 0, failedRequests: 0 };
    Object.assign(now, idle);
    const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
    const wait = (seconds) =>
      Promise.race([
        aborted,
        new Promise((resolve) => setTimeout(resolve, seconds * 1000 * scale)),
      ]);
    async function* progress() {
      const cells = [];
      const base = {
        benchmark: "sweep",
        startedAt: new Date().toISOString(),
        parameters: options.parameters,
        target: options.target.toJSON(),
      };
      yield { kind: "phase", phase: "probe" };
      await wait(0.5);
      yield { kind: "started", header: { ...base, cells: plans }, folder: "runs/fake-sweep" };
      yield { kind: "log", line: { level: "warn", text: "SIMULATED: nothing is measured here" } };
      yield { kind: "phase", phase: "baseline", aboutS: 2 * scale };
      now.phase = "baseline";
      await wait(2);
      for (const cell of plans) {
        Object.assign(now, idle, { cell, tokensPerS: undefined, powerW: 93.5 });
        for (const [phase, aboutS] of [
          ["warm-up", undefined],
          ["settle", 1.6 * scale],
        ]) {
          Object.assign(now, { phase, inFlight: phase === "settle" ? 0 : cell.concurrency });
          yield { kind: "phase", phase, cell, ...(aboutS && { aboutS }) };
          await wait(aboutS === undefined ? 1 : 1.6);
        }
        Object.assign(now, { phase: "window", inFlight: cell.concurrency, powerW: 318.4 });
        yield { kind: "phase", phase: "window", cell };
        now.tokensPerS = cell.concurrency * 51.3;
        const startMs = nowMs();
        for (let i = 0; i < cell.requests && !signal.aborted; i++) {
          await wait(4 / cell.requests);
          now.endedRequests++;
          if (i === 20) now.failedRequests++;
        }
        if (signal.aborted) break;
        const failed = now.failedRequests;
        const record = {
          ...cell,
          state: "measured",
          startMs,
          endMs: startMs + 4000,
          ttftMs: summary(40 + cell.concurrency),
          tpotMs: summary(18),
          counts: { ok: cell.requests - failed, failed, failedByKind: {}, notSent: 0 },
          tokens: { output: cell.concurrency * 205, delivered: 0, isEstimated: false },
          metrics: {
            output_tok_s: cell.concurrency * 51.3,
            sim_rail_energy_j: 1272,
            sim_rail_mean_power_w: 318,
            sim_rail_joules_per_token: 6.2 / cell.concurrency,
          },
          isComparable: failed === 0,
          validity: failed
            ? [{ reason: "errors", refuses: "comparison", detail: `${failed} request failed` }]
            : [],
          warnings: [],
        };
        cells.push(record);
        now.cellsDone++;
        yield { kind: "cell", record };
      }
      const record = {
        schema: "joulemark.record/1",
        ...base,
        simulated: true,
        interrupted: signal.aborted,
        cells,
        metrics: {},
        validity: [],
        warnings: [],
        log: [],
        damage: [],
      };
      yield { kind: "ended", record };
    }
    return { progress: progress(), now: () => ({ ...now }) };
  },
};

const interrupts = catchInterrupts();
await program(terminalOutput(), interrupts, jobs).parseAsync([
  process.execPath,
  "joulemark",
  ...process.argv.slice(3),
]);
