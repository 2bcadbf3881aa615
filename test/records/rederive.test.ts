import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deriveRecord, rederive } from "../../src/records/rederive.ts";
import type { RequestLine } from "../../src/records/request-line.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import { lineOf } from "./support/lines.ts";
import {
  FACTS,
  headerOf,
  METER,
  type RawRun,
  REQUESTS,
  readings,
  segmentEvent,
  smallRun,
  windowEvent,
  writeRun,
} from "./support/small-run.ts";

const derived = (more: Partial<RawRun> = {}): Promise<RunRecord> =>
  deriveRecord(writeRun(smallRun(more)));

describe("the record of a small run", () => {
  test("has the figures that a sheet of paper gives", async () => {
    const record = await derived();
    expect(record.damage).toEqual([]);
    expect(record).toMatchObject({ interrupted: false, simulated: false, validity: [] });
    expect(record.server).toEqual({ name: "vLLM", model: "m" });
    expect(record.log).toEqual([{ level: "info", text: "rail open" }]);
    expect(record.metrics).toMatchObject({
      c2_window_s: 0.5,
      c2_requests_ok: 4,
      c2_output_tokens: 12,
      c2_output_tok_s: 24,
      c2_output_tok_s_per_user: 12,
      c2_prompt_tokens: 400,
      c2_total_tok_s: 824,
      c2_ttft_mean_ms: 100,
      c2_tpot_p50_ms: 50,
      c2_e2e_max_ms: 200,
      // 300 W for 0.5 s.
      c2_gpu_rail_energy_j: 150,
      c2_gpu_rail_joules_per_token: 12.5,
      c2_gpu_rail_joules_per_input_token: 0.375,
      c2_gpu_rail_energy_above_idle_j: 100,
      // From 1110 to 1400 ms.
      c2_steady_s: 0.29,
      c2_steady_gpu_rail_energy_j: expect.closeTo(87, 9),
      c2_steady_gpu_rail_energy_window_tokens: 9,
      c1_gpu_rail_joules_per_token: 25,
      c1_output_tok_s: 12,
      gpu_rail_idle_power_w: 100,
      gpu_rail_sampler_wall_s: 2.9,
      peak_output_tok_s: 24,
      peak_output_tok_s_concurrency: 2,
      best_gpu_rail_joules_per_token: 12.5,
      best_gpu_rail_joules_per_token_concurrency: 2,
    });
    expect(record.cells.map(({ state, isComparable }) => [state, isComparable])).toEqual([
      ["measured", true],
      ["measured", true],
    ]);
    expect(record.cells[0]!.steady).toMatchObject({ startMs: 1110, endMs: 1400 });
  });

  test("is the same bytes each time", async () => {
    const dir = writeRun(smallRun());
    await rederive(dir);
    const first = readFileSync(join(dir, "record.json"), "utf8");
    const record = await rederive(dir);
    expect(readFileSync(join(dir, "record.json"), "utf8")).toBe(first);
    expect(JSON.parse(first)).toEqual(JSON.parse(JSON.stringify(record)));
  });

  test("of a simulated rail writes sim_rail keys and no others", async () => {
    const rail = smallRun().rail.map((line) =>
      line.kind === "facts" ? { ...line, facts: { ...FACTS, head: "sim_rail" as const } } : line,
    );
    const { metrics, simulated } = await derived({ rail });
    expect(simulated).toBe(true);
    const keys = Object.keys(metrics).filter((key) => /_rail_/.test(key));
    expect(keys).toContain("c2_sim_rail_energy_j");
    expect(keys.filter((key) => !/(^|_)sim_rail_/.test(key))).toEqual([]);
  });

  test("of a run without a rail has no energy and the reason", async () => {
    const absent = { reason: "rail_not_local", refuses: "energy", detail: "elsewhere" } as const;
    const { idle: _idle, ...meter } = METER;
    const events = smallRun().events.map((event) =>
      event.event === "meter" ? { ...meter, absent, railLines: 0 } : event,
    );
    const noLines = events.map((one) => (one.event === "window" ? { ...one, railLines: 0 } : one));
    const record = await derived({ events: noLines, rail: [{ kind: "segment", segment: 0 }] });
    expect(record.validity).toEqual([absent]);
    expect(record.cells[0]!.validity).toEqual([absent]);
    expect(record.cells[0]!.isComparable).toBe(true);
    expect(Object.keys(record.metrics).filter((key) => key.includes("_rail_"))).toEqual([]);
    expect(record.metrics).toMatchObject({ c2_output_tok_s: 24 });
    expect(record.damage).toEqual([]);
  });

  test("has no figure above idle where the baseline was not quiet", async () => {
    const reason = { reason: "idle_not_quiet", refuses: "above_idle", detail: "moved" } as const;
    const events = smallRun().events.map((event) =>
      event.event === "meter" ? { ...event, idleReasons: [reason] } : event,
    );
    const { metrics, cells } = await derived({ events });
    expect(metrics).toMatchObject({ c2_gpu_rail_energy_j: 150 });
    expect(metrics).not.toHaveProperty("c2_gpu_rail_energy_above_idle_j");
    expect(metrics).not.toHaveProperty("gpu_rail_idle_power_w");
    expect(cells[0]!.validity).toEqual([reason]);
  });

  test("judges a window by the readings that were there, and not by later ones", async () => {
    // The source dies after the window of cell 0 was judged; that of cell 1 has no readings.
    const rail = smallRun().rail.flatMap((line) => {
      if (line.kind !== "read" || line.atMs <= 1800) return [line];
      return line.atMs === 1900 ? [{ kind: "ended", atMs: 1900, why: "gone" } as const] : [];
    });
    const events = smallRun().events.map((one) =>
      one.event === "window" && one.cell === 1 ? { ...one, railLines: 21 } : one,
    );
    const { cells } = await derived({ rail, events });
    expect(cells[0]!.validity).toEqual([]);
    expect(cells[0]!.metrics).toHaveProperty("steady_gpu_rail_energy_j");
    expect(cells[1]!.validity[0]!.reason).toMatch(/^rail_(stalled|no_samples)$/);
    expect(Object.keys(cells[1]!.metrics).filter((key) => key.includes("rail"))).toEqual([]);
  });

  test("keeps the readings of a run of many hours", async () => {
    const late: RawRun["rail"] = Array.from({ length: 9000 }, (_, i) => {
      const atMs = 3000 + i * 1000;
      return {
        kind: "read",
        atMs,
        samples: [{ atMs, powerW: 300, device: "GPU-a" }],
        rejected: [],
      };
    });
    const rail = [...smallRun().rail.slice(0, -1), ...late];
    const first = await derived();
    const { cells } = await derived({ rail });
    expect(cells).toEqual(first.cells);
  });
});

describe("the record of a run that did not end", () => {
  test("says so, and has what was measured", async () => {
    const { events } = smallRun();
    const record = await derived({ events: events.slice(0, 7) });
    expect(record.interrupted).toBe(true);
    expect(record.cells.map(({ state }) => state)).toEqual(["measured", "interrupted"]);
    expect(record.cells[1]!.metrics).toEqual({});
    expect(record.metrics).toMatchObject({ c2_gpu_rail_energy_j: 150 });
    const early = await derived({ events: events.slice(0, 3) });
    expect(early.cells.map(({ state }) => state)).toEqual(["not measured", "not measured"]);
  });

  test("is made of what files there are", async () => {
    for (const missing of ["events", "rail", "requests", "log"]) {
      const dir = writeRun(smallRun());
      rmSync(join(dir, `${missing}.jsonl`));
      const record = await rederive(dir);
      expect(record.cells).toHaveLength(2);
    }
    const dir = writeRun(smallRun());
    rmSync(join(dir, "run.json"));
    await expect(rederive(dir)).rejects.toThrow("is no run folder: it has no run.json");
  });

  test("of another segment that measured a cell again takes the last time", async () => {
    const { events, rail, requests } = smallRun();
    const stopped = windowEvent(0, 1000, { stopped: "interrupted", requests: 2 });
    const again = [
      ...events.slice(0, 4),
      stopped,
      segmentEvent(1),
      METER,
      windowEvent(0, 1000),
      windowEvent(1, 2000),
      { event: "ended", atMs: 2900, isInterrupted: false } as const,
    ];
    const second = readings(2900, (atMs) => (atMs < 1000 ? 100 : 600));
    const facts = { kind: "facts", facts: FACTS } as const;
    const record = await derived({
      events: again,
      rail: [...rail, { kind: "segment", segment: 1 }, facts, ...second],
      requests: [
        ...requests.slice(1, 3),
        ...requests.map((line) => ({ ...line, segment: 1 })),
        lineOf(9, 1000, { segment: 0 }),
      ],
    });
    expect(record.damage).toEqual([]);
    expect(record.interrupted).toBe(false);
    expect(record.cells[0]!.counts).toMatchObject({ ok: 4 });
    expect(record.metrics).toMatchObject({ c2_gpu_rail_energy_j: 300, c2_output_tokens: 12 });
  });

  test("resumed without a rail still says what the first rail was, and that it was simulated", async () => {
    const { events, rail, requests } = smallRun();
    const absent = { reason: "rail_unreadable", refuses: "energy", detail: "gone" } as const;
    const record = await derived({
      events: [
        ...events.slice(0, 6),
        segmentEvent(1),
        { event: "meter", atMs: 5, railLines: 0, absent, idleReasons: [], warnings: [] },
        windowEvent(1, 2000, { railLines: 0 }),
        events.at(-1)!,
      ],
      rail: rail.map((line) =>
        line.kind === "facts" ? { ...line, facts: { ...FACTS, head: "sim_rail" as const } } : line,
      ),
      requests: requests.map((line) => (line.cell === 1 ? { ...line, segment: 1 } : line)),
    });
    expect(record.simulated).toBe(true);
    expect(record.rail?.head).toBe("sim_rail");
    expect(record.validity).toEqual([absent]);
    expect(record.cells.map(({ validity }) => validity)).toEqual([[], [absent]]);
  });
});

describe("a cell", () => {
  test("some of whose requests are missing has no figures: sums would be wrong", async () => {
    const record = await derived({ requests: REQUESTS.filter((_, i) => i !== 3) });
    expect(record.damage).toEqual([
      "requests.jsonl: 3 lines of the 4 requests of cell 0 (2 at once) are there",
    ]);
    expect(record.cells[0]).toMatchObject({ state: "interrupted", metrics: {}, startMs: 1000 });
    expect(record.cells[0]!.validity).toEqual([
      expect.objectContaining({ reason: "interrupted", refuses: "comparison" }),
    ]);
    expect(record.metrics).not.toHaveProperty("c2_output_tok_s");
    expect(record.metrics).toMatchObject({ c1_output_tok_s: 12 });
  });

  test("that was interrupted has its figures and is not to be compared", async () => {
    const events = smallRun().events.map((one) =>
      one.event === "window" && one.cell === 0 ? { ...one, stopped: "interrupted" } : one,
    );
    const { cells, metrics } = await derived({ events });
    expect(cells[0]).toMatchObject({ state: "interrupted", isComparable: false });
    expect(cells[0]!.metrics).toHaveProperty("gpu_rail_energy_j");
    // In the figures of the run only what was measured to its end counts.
    expect(metrics).not.toHaveProperty("c2_gpu_rail_energy_j");
    expect(metrics).toMatchObject({ c1_gpu_rail_energy_j: 150, peak_output_tok_s: 12 });
  });
});

test("run.json of another kind is refused in words", async () => {
  const dir = writeRun(smallRun());
  const refusalOf = async (text: string): Promise<string> => {
    writeFileSync(join(dir, "run.json"), text);
    return rederive(dir).then(
      () => "none",
      ({ code, message }: Error & { code: string }) => `${code}: ${message.slice(dir.length)}`,
    );
  };
  const start = "bad_option:  is no run folder: ";
  for (const text of ["null", "[]", '"x"', "{}", '{"schema":"joulemark.run/2"}'])
    expect(await refusalOf(text)).toMatch(
      /^bad_option: {2}is no run folder: its run\.json has the schema/,
    );
  expect(await refusalOf('{"schema"')).toBe(`${start}its run.json is not whole`);
  const cells = [{ ...headerOf().cells[0]!, cell: 3 }];
  expect(await refusalOf(JSON.stringify(headerOf({ cells })))).toBe(
    `${start}cells[0] in its run.json is not what it must be`,
  );
});

describe("tokens that are not what they should be", () => {
  const uncounted = (line: RequestLine): RequestLine => {
    const { completionTokens: _told, ...more } = line;
    return more;
  };

  test("counted by events are no peak, and the cell says so", async () => {
    const requests = REQUESTS.map((line) => (line.cell === 0 ? uncounted(line) : line));
    const record = await derived({ requests });
    expect(record.metrics).toMatchObject({ peak_output_tok_s: 12, c2_output_tok_s: 24 });
    expect(record.cells[0]).toMatchObject({
      isComparable: false,
      validity: [
        {
          reason: "tokens_estimated",
          detail: "4 of 4 replies have no count from the server: tokens are counted from events",
        },
      ],
      warnings: [expect.stringContaining("4 replies without a count from the server")],
    });
  });

  test("of a request that failed are told in words, and are no estimate of what was delivered", async () => {
    const requests = REQUESTS.map((line, i) =>
      i === 1
        ? { ...uncounted(line), state: "error" as const, errorKind: "timeout" as const }
        : line,
    );
    const [cell] = (await derived({ requests })).cells;
    expect(cell!.validity.map(({ reason }) => reason)).toEqual(["errors"]);
    expect(cell!.warnings.join()).toContain(
      "1 request that failed or was cut off is counted by its events",
    );
  });

  test("outside of their window have no joules", async () => {
    const requests = REQUESTS.map((line) => (line === REQUESTS[4] ? lineOf(3, 1400) : line));
    const { metrics, cells } = await derived({ requests });
    expect(cells[0]!.validity).toEqual([
      {
        reason: "tokens_mismatch",
        refuses: "per_token",
        detail:
          "tokens came up to 100 ms outside of the window: tokens and joules are of different intervals",
      },
    ]);
    expect(metrics["c2_gpu_rail_energy_j"]).toBe(150);
    expect(Object.keys(metrics).filter((key) => /^c2_gpu.*per_.*token/.test(key))).toEqual([]);
  });
});
