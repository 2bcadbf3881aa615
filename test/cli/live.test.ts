import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { RunNow, RunningBenchmark } from "../../src/benchmarks/run-progress.ts";
import { LiveBlock } from "../../src/cli/live-block.ts";
import { LiveScreen } from "../../src/cli/live-screen.ts";
import { RunClock } from "../../src/cli/run-clock.ts";
import type { RunHeader } from "../../src/records/run-header.ts";
import { cell } from "../report/records.ts";
import { TinyTerminal } from "./tiny-terminal.ts";

describe("a live block", () => {
  test("is written over, and what is said stays above it", () => {
    const terminal = new TinyTerminal(40);
    const block = new LiveBlock(terminal);
    block.draw(["one", "two"]);
    expect(terminal.screen()).toEqual(["one", "two"]);
    block.say("first");
    block.draw(["1", "2"]);
    block.say("second\n  third");
    expect(terminal.screen()).toEqual(["first", "second", "  third", "1", "2"]);
    block.clear();
    block.clear();
    block.say("last");
    expect(terminal.screen()).toEqual(["first", "second", "  third", "last"]);
  });

  test("goes away whole where the terminal has become narrower and broke its lines", () => {
    const terminal = new TinyTerminal(40);
    const block = new LiveBlock(terminal);
    block.say("kept");
    block.draw(["x".repeat(39), `\u001b[2m${"y".repeat(20)}\u001b[22m`]);
    terminal.resize(15);
    expect(terminal.screen()).toHaveLength(6);
    block.draw(["narrow"]);
    expect(terminal.screen()).toEqual(["kept", "narrow"]);
    terminal.resize(60);
    block.draw(["wide"]);
    expect(terminal.screen()).toEqual(["kept", "wide"]);
  });
});

const NOW: RunNow = {
  phase: "window",
  cell: cell(4),
  cellsDone: 0,
  cells: 2,
  inFlight: 4,
  endedRequests: 8,
  failedRequests: 0,
  startedMs: 0,
};

describe("a live screen", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  function opened(columns = 100) {
    const terminal = new TinyTerminal(columns);
    let now: RunNow = NOW;
    const running = { now: () => now } as unknown as RunningBenchmark;
    const screen = new LiveScreen(terminal, { hasColour: false, width: 100 }, running);
    return {
      terminal,
      screen,
      is: (more: Partial<RunNow>) => {
        now = { ...now, ...more };
      },
    };
  }

  test("moves with the run, and leaves nothing but what was said", () => {
    const exits = process.listenerCount("exit");
    const { terminal, screen, is } = opened();
    expect(terminal.screen()[0]).toMatch(/^1\/2 · 4 at once · measuring · .* 8 of 16 done/);
    is({ endedRequests: 12 });
    vi.advanceTimersByTime(250);
    expect(terminal.screen()[0]).toContain("12 of 16 done");
    is({ cellsDone: 1 });
    screen.show({ kind: "cell", record: cell(4) });
    screen.show({ kind: "log", line: { level: "warn", text: "careful" } });
    screen.say("stopping");
    expect(terminal.screen()).toHaveLength(5);
    screen.close();
    const kept = [
      "1/2 · 4 at once: 202 tok/s, TTFT 48.9 ms, TPOT 18.2 ms, 1.44 J/token, 291 W",
      "joulemark: warning: careful",
      "joulemark: stopping",
    ];
    expect(terminal.screen()).toEqual(kept);
    vi.advanceTimersByTime(1000);
    expect(terminal.screen()).toEqual(kept);
    expect(terminal.listeners).toBe(0);
    expect(process.listenerCount("exit")).toBe(exits);
  });

  test("takes its lines away when the program ends under it", () => {
    const { terminal, screen } = opened();
    for (const listener of process.listeners("exit").slice(-1))
      (listener as (code: number) => void)(130);
    expect(terminal.screen()).toEqual([]);
    screen.close();
  });

  test("follows the width of the terminal, down to next to nothing", () => {
    const { terminal, screen } = opened();
    screen.say("kept");
    for (const columns of [60, 30, 12, 1, 100]) {
      terminal.resize(columns);
      vi.advanceTimersByTime(250);
    }
    expect(terminal.screen().at(-2)).toMatch(/^1\/2 · 4 at once · measuring/);
    expect(terminal.screen().join("")).toMatch(/^(joulemark: )?kept|^joulemark:kept/);
    screen.close();
  });
});

describe("the time that is left", () => {
  const plans = [1, 1, 1].map((level, place) => cell(level, { cell: place }));
  const header = { cells: plans } as unknown as RunHeader;

  test("is not told before a cell is done, then by how long the cells took", () => {
    const clock = new RunClock();
    const now = { ...NOW, cells: 3 };
    clock.note({ kind: "started", header }, 0);
    clock.note({ kind: "phase", phase: "warm-up", cell: plans[0]! }, 1000);
    expect(clock.facts(now, 2000)).not.toHaveProperty("runLeftS");
    clock.note({ kind: "phase", phase: "window", cell: plans[0]! }, 3000);
    clock.note({ kind: "cell", record: plans[0]! }, 11_000);
    // Three equal cells: the first one took 10 s.
    expect(clock.facts({ ...now, cellsDone: 1 }, 11_000).runLeftS).toBeCloseTo(20, 9);
    clock.note({ kind: "phase", phase: "warm-up", cell: plans[1]! }, 11_000);
    expect(clock.facts({ ...now, cellsDone: 1 }, 15_000).runLeftS).toBeCloseTo(16, 9);
    expect(clock.facts({ ...now, cellsDone: 1 }, 99_000).runLeftS).toBe(0);
    expect(clock.facts({ ...now, cellsDone: 3 }, 99_000)).not.toHaveProperty("runLeftS");
  });

  test("of a resumed run is that of the cells which are missing", () => {
    const clock = new RunClock();
    clock.note({ kind: "started", header }, 0);
    clock.note({ kind: "phase", phase: "window", cell: plans[1]! }, 0);
    clock.note({ kind: "cell", record: plans[1]! }, 5000);
    expect(clock.facts({ ...NOW, cells: 2, cellsDone: 1 }, 5000).runLeftS).toBeCloseTo(5, 9);
  });

  test("of a phase counts from its own begin", () => {
    const clock = new RunClock();
    clock.note({ kind: "phase", phase: "settle", aboutS: 2 }, 7000);
    expect(clock.facts(NOW, 8000)).toMatchObject({ phaseStartMs: 7000, phaseS: 2 });
    clock.note({ kind: "phase", phase: "window" }, 9000);
    expect(clock.facts(NOW, 9500)).not.toHaveProperty("phaseS");
  });
});
