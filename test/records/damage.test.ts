import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unreadable } from "../../src/records/read-lines.ts";
import { deriveRecord, rederive } from "../../src/records/rederive.ts";
import type { RequestLine } from "../../src/records/request-line.ts";
import type { RunRecord } from "../../src/records/run-record.ts";
import {
  CELLS,
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

const FILES = ["events", "rail", "requests", "log"] as const;

/** One cell, and no more of anything than it needs. */
const TINY: RawRun = smallRun({
  header: headerOf({ cells: CELLS.slice(0, 1) }),
  events: [
    segmentEvent(0),
    { ...METER, railLines: 1 },
    { event: "cell_started", atMs: 1000, cell: 0 },
    windowEvent(0, 1000, { railLines: 11 }),
  ],
  rail: [...smallRun().rail.slice(0, 2), ...readings(1800).slice(9)],
  requests: REQUESTS.slice(1, 5),
});

/** Fails where a number is not finite, at any depth, or a figure of energy is negative. */
function expectSane(record: RunRecord): void {
  const look = (value: unknown): void => {
    if (typeof value === "number") expect(value).toSatisfy(Number.isFinite);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(look);
  };
  look(record.metrics);
  look(record.cells);
  for (const [key, value] of Object.entries(record.metrics)) {
    if (/(_j|_tok_s|tokens|_w|_s)$/.test(key) && !key.includes("above_idle"))
      expect(value).toBeGreaterThanOrEqual(0);
  }
}

describe("a file cut at any byte", () => {
  test.each(FILES)(
    "%s.jsonl gives a record, and a torn line is told",
    async (file) => {
      const text = readFileSync(join(writeRun(TINY), `${file}.jsonl`), "utf8");
      const sizes = Array.from({ length: text.length + 1 }, (_, size) => size);
      // Several at a time: most of it is waiting for the file system.
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const dir = writeRun(TINY);
          for (let size = sizes.pop(); size !== undefined; size = sizes.pop()) {
            writeFileSync(join(dir, `${file}.jsonl`), text.slice(0, size));
            const { damage, cells } = await deriveRecord(dir);
            const isWhole = [text[size], text[size - 1]].includes("\n") || size % text.length === 0;
            const line = text.slice(0, size).split("\n").length;
            expect(
              damage.filter((one) => one.endsWith("not whole, left out")),
              `cut at ${size}`,
            ).toEqual(isWhole ? [] : [`${file}.jsonl, line ${line}: not whole, left out`]);
            expect(cells).toHaveLength(1);
          }
        }),
      );
    },
    120_000,
  );

  test("run.json is written whole, so half of it is no run", async () => {
    const dir = writeRun(smallRun());
    const path = join(dir, "run.json");
    for (const size of [0, 1, 100, 500]) {
      truncateSync(path, size);
      await expect(rederive(dir)).rejects.toMatchObject({ code: "bad_option" });
    }
  });

  test("requests.jsonl never makes a cell of fewer requests than it had", async () => {
    const dir = writeRun(smallRun());
    const path = join(dir, "requests.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    for (let kept = lines.length - 1; kept >= 0; kept--) {
      writeFileSync(path, lines.slice(0, kept).join("\n"));
      const { cells } = await deriveRecord(dir);
      const states = [kept >= 5, kept >= 7].map((isThere) =>
        isThere ? "measured" : "interrupted",
      );
      expect(cells.map(({ state }) => state)).toEqual(states);
    }
  });
});

describe("lines that say nothing", () => {
  test.each(FILES)("are left out of %s.jsonl and told, wherever they stand", async (file) => {
    const clean = await deriveRecord(writeRun(smallRun()));
    const garbage = ["\u0000\u0000\u0000", "[]", "null", "7", '{"atMs":', "ÿþ", '"x"', "{}"];
    for (const line of garbage) {
      const dir = writeRun(smallRun());
      const path = join(dir, `${file}.jsonl`);
      const lines = readFileSync(path, "utf8").split("\n");
      // Behind everything that is counted: a line in the middle of a rail takes a place.
      lines.splice(lines.length - 1, 0, line);
      writeFileSync(path, lines.join("\n"));
      const { damage, ...record } = await deriveRecord(dir);
      const { damage: _none, ...expected } = clean;
      expect(damage).toEqual([
        expect.stringMatching(
          new RegExp(`^${file}\\.jsonl, line ${lines.length - 1}: .*, left out$`),
        ),
      ]);
      expect(record).toEqual(expected);
    }
  });

  test("in the middle of a rail keep their place, so that no later reading is looked at", async () => {
    const dir = writeRun(smallRun());
    const path = join(dir, "rail.jsonl");
    const lines = readFileSync(path, "utf8").split("\n");
    // The reading at 1300 ms: its place is taken by the one at 1200, which is held for longer.
    lines[15] = lines[15]!.slice(0, 30);
    writeFileSync(path, lines.join("\n"));
    const { damage, metrics } = await deriveRecord(dir);
    expect(damage).toEqual(["rail.jsonl, line 16: not whole, left out"]);
    expect(metrics).toMatchObject({ c2_gpu_rail_energy_j: 150, c2_gpu_rail_power_samples: 5 });
  });

  test("are told one by one only while they are few", async () => {
    const dir = writeRun(smallRun());
    writeFileSync(join(dir, "log.jsonl"), "nonsense\n".repeat(5000));
    const { damage } = await deriveRecord(dir);
    expect(damage).toHaveLength(21);
    expect(damage.at(-1)).toBe("log.jsonl: 4980 more lines were left out");
  });

  test("may be as long as they like", async () => {
    const dir = writeRun(smallRun());
    const path = join(dir, "requests.jsonl");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, `${"x".repeat(70 << 20)}\n${text}`);
    const { damage, metrics } = await deriveRecord(dir);
    expect(damage).toEqual(["requests.jsonl, line 1: too long, left out"]);
    expect(metrics).toMatchObject({ c2_output_tok_s: 24 });
  });
});

describe("a line of a wrong shape", () => {
  const tampered = (more: object): readonly RequestLine[] =>
    REQUESTS.map((line, i) => (i === 2 ? ({ ...line, ...more } as RequestLine) : line));

  test.each([
    ["endMs", { endMs: "1410" }],
    ["endMs", { endMs: 900 }],
    ["lastTokenMs", { lastTokenMs: 1000 }],
    ["gapsUs[1]", { gapsUs: [1, -2] }],
    ["gapsUs[0]", { gapsUs: [0.5] }],
    ["gapsUs", { gapsUs: "50000" }],
    ["tokensByEvent[0]", { tokensByEvent: [{}] }],
    ["completionTokens", { completionTokens: -3 }],
    ["completionTokens", { completionTokens: 1e300 }],
    ["promptTokens", { promptTokens: null }],
    ["state", { state: "fine" }],
    ["cell", { cell: "__proto__" }],
    ["flags", { flags: { includes: 1 } }],
    ["serverTimings.predictedMs", { serverTimings: { predictedMs: "1" } }],
  ])("of requests.jsonl is told by its field: %s", async (field, more) => {
    const record = await deriveRecord(writeRun(smallRun({ requests: tampered(more) })));
    expect(record.damage[0]).toBe(
      `requests.jsonl, line 3: ${field} is not what it must be, left out`,
    );
    expect(record.cells.map(({ state }) => state)).toEqual(["interrupted", "measured"]);
    expectSane(record);
  });

  test("of the rail is told, and so are readings that go back in time", async () => {
    const { rail } = smallRun();
    const tamper = (place: number, line: object) =>
      deriveRecord(writeRun(smallRun({ rail: rail.with(place, line as (typeof rail)[0]) })));
    const read = (atMs: unknown, powerW: unknown) => ({
      kind: "read",
      atMs: 1,
      samples: [{ atMs, powerW, device: "GPU-a" }],
    });
    const wrong = async (place: number, line: object): Promise<string> =>
      (await tamper(place, line)).damage.join();
    expect(await wrong(15, read(1300, "300"))).toMatch(/line 16: samples\[0\]\.powerW/);
    expect(await wrong(15, read(1300, -300))).toMatch(/line 16: samples\[0\]\.powerW/);
    expect(await wrong(15, read(null, 300))).toMatch(/line 16: samples\[0\]\.atMs/);
    expect(await wrong(15, read(5, 300))).toMatch(/line 16: its readings go back in time/);
    expect(await wrong(1, { kind: "facts", facts: { devices: "x" } })).toMatch(/line 2: facts\./);
    expectSane(await tamper(15, read(5, 1e9)));
  });

  test("a segment whose first line is lost leaves its readings to nobody", async () => {
    const { rail } = smallRun();
    const torn = { kind: "seg" } as unknown as (typeof rail)[0];
    const record = await deriveRecord(
      writeRun(smallRun({ rail: [...rail, torn, ...rail.slice(1)] })),
    );
    expect(record.damage).toEqual([
      "rail.jsonl, line 35: it begins a segment that nothing names, left out",
    ]);
    expect(record.metrics).toMatchObject({ c2_gpu_rail_energy_j: 150 });
  });

  test("of events.jsonl is told, and a window of no cell is nobody's", async () => {
    const { events } = smallRun();
    const odd = [
      { ...windowEvent(0, 1000), cell: 7 },
      { ...windowEvent(0, 1000), endMs: 10 },
      { ...windowEvent(0, 1000), railLines: -1 },
      { event: "__proto__", atMs: 1 },
      { event: "constructor" },
      { event: "cell_started", atMs: 1, cell: "0" },
    ];
    const all = [...events.slice(0, 5), ...odd, ...events.slice(5)] as typeof events;
    const record = await deriveRecord(writeRun(smallRun({ events: all })));
    expect(record.damage.map((one) => one.slice("events.jsonl, ".length))).toEqual([
      "line 7: endMs is not what it must be, left out",
      "line 8: railLines is not what it must be, left out",
      "line 11: cell is not what it must be, left out",
    ]);
    expect(record.metrics).toMatchObject({ c2_gpu_rail_energy_j: 150 });
  });

  test.each([-1.7e305, 1.1e12, -1.1e12])(
    "a token at %d ms is at no time of a run",
    async (atMs) => {
      const requests = REQUESTS.map((line, i) =>
        i === 1 ? { ...line, firstTokenMs: atMs, gapsUs: [0, 0] } : line,
      );
      const { damage } = await deriveRecord(writeRun(smallRun({ requests })));
      expect(damage[0]).toBe(
        "requests.jsonl, line 2: firstTokenMs is not what it must be, left out",
      );
    },
  );

  test("a token between two µs, and the next at once, are in order", async () => {
    const requests = REQUESTS.map((line, i) =>
      i === 1 ? { ...line, firstTokenMs: 1100.0004, gapsUs: [0, 0] } : line,
    );
    const { damage } = await deriveRecord(writeRun(smallRun({ requests })));
    expect(damage).toEqual([]);
  });

  test("names of Object's own do no harm", async () => {
    const text = JSON.stringify(REQUESTS[2]).replace(
      '"state":"ok"',
      '"state":"error","errorKind":"__proto__","__proto__":{"endMs":3},"constructor":1',
    );
    const requests = REQUESTS.map((line, i) =>
      i === 2 ? (JSON.parse(text) as RequestLine) : line,
    );
    const dir = writeRun(smallRun({ requests }));
    const { cells } = await rederive(dir);
    expect(Object.entries(cells[0]!.counts!.failedByKind)).toEqual([["__proto__", 1]]);
    expect(readFileSync(join(dir, "record.json"), "utf8")).toContain('"__proto__": 1');
    expect(({} as { endMs?: number }).endMs).toBeUndefined();
  });

  test("whatever stands in any field, there is a record and every number in it is finite", async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.double(),
      fc.constantFrom(-1, 1e308, 9e15, "__proto__", [], {}, [1e308, 1e308]),
    );
    const file = fc.constantFrom("events", "rail", "requests", "log");
    await fc.assert(
      fc.asyncProperty(file, fc.nat(), fc.nat(), value, async (name, at, which, odd) => {
        const run = smallRun();
        const lines = run[name as "log"].map((line) => ({ ...line })) as Record<string, unknown>[];
        const line = lines[at % lines.length]!;
        const keys = Object.keys(line);
        line[keys[which % keys.length]!] = odd;
        expectSane(await deriveRecord(writeRun({ ...run, [name]: lines })));
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

describe("a file that cannot be read", () => {
  test.each(["events", "requests", "rail", "log"])("%s.jsonl is damage", async (name) => {
    const dir = writeRun(smallRun());
    const file = join(dir, `${name}.jsonl`);
    rmSync(file);
    mkdirSync(file);
    const record = await rederive(dir);
    expect(record.damage).toContain(
      `${name}.jsonl: it cannot be read (it is a directory), and nothing is taken from it`,
    );
    expect(record.cells).toHaveLength(2);
  });

  test("run.json makes it no run", async () => {
    const dir = writeRun(smallRun());
    rmSync(join(dir, "run.json"));
    mkdirSync(join(dir, "run.json"));
    await expect(rederive(dir)).rejects.toMatchObject({
      code: "bad_option",
      message: expect.stringContaining("its run.json cannot be read (it is a directory)"),
    });
  });

  test("by a link that leads to itself, or for lack of a permission, is damage too", async () => {
    const dir = writeRun(smallRun());
    const file = join(dir, "rail.jsonl");
    rmSync(file);
    symlinkSync(file, file);
    expect((await rederive(dir)).damage.join()).toContain("leads to itself");
    expect(unreadable(Object.assign(new Error("x"), { code: "EACCES" }))).toBe("no permission");
    expect(unreadable(Object.assign(new Error("x"), { code: "EIO" }))).toBeUndefined();
  });
});
