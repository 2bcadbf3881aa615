import { describe, expect, test } from "vitest";
import { integrate } from "../../src/energy/integrate.ts";
import { judgeSeries, medianTickMs } from "../../src/energy/judge-series.ts";
import { parseLine } from "../../src/energy/parse-line.ts";
import type { PowerSample } from "../../src/energy/power-sample.ts";
import { sumDevices } from "../../src/energy/sum-devices.ts";
import { ANSWERS, RECORDINGS } from "../built/rails/handed-cases/answers.ts";
import {
  BRAKE,
  CAP,
  CAPTURES,
  captureText,
  columnOf,
  columnsOf,
  dataLinesOf,
  hasHeader,
  INSTANT,
  RAIL_COLUMNS,
} from "../built/rails/handed-cases/captures.ts";

const CSV = CAPTURES.filter((file) => file.endsWith(".csv"));
const PROSE = CAPTURES.filter((file) => file.endsWith(".txt"));

/** As `nounits` has it: the unit goes from behind a number, and from nowhere else. */
function withoutUnits(line: string): string {
  return line.replaceAll(/(\d) (?:W|MHz|MiB|us|%)(?=\s*(?:,|$))/g, "$1");
}

/** A reading without what only the sampler needs. */
function told(sample: PowerSample | undefined): object | "reject" {
  if (sample === undefined) return "reject";
  const { atMs: _atMs, device: _device, ...reading } = sample;
  return reading;
}

test("every handed answer of nvidia-smi is held here, and nothing else", () => {
  expect(CAPTURES).toHaveLength(53);
  expect(CSV.toSorted()).toEqual(Object.keys(ANSWERS).toSorted());
  expect(PROSE.length + CSV.length).toBe(CAPTURES.length);
});

describe("parseLine on every line that was captured", () => {
  test.each(CSV)("%s", (file) => {
    const columns = columnsOf(file);
    const lines = dataLinesOf(file).map(withoutUnits);
    expect(lines.map((line) => told(parseLine(line, 7, columns)))).toEqual(ANSWERS[file]);
  });

  test.each(CSV)("%s: its first line has a cell for each column", (file) => {
    expect(dataLinesOf(file)[0]?.split(",")).toHaveLength(columnsOf(file).length);
  });

  test.each(CSV.filter((file) => columnsOf(file).length === 3 && !hasHeader(file)))(
    "%s as three columns without names",
    (file) => {
      const samples = dataLinesOf(file).map((line) => parseLine(line, 7, 3));
      expect(samples.map(told)).toEqual(ANSWERS[file]);
    },
  );

  test.each(CSV.filter(hasHeader))("%s: its header is no reading", (file) => {
    const header = columnsOf(file).join(", ");
    expect(parseLine(header, 7, columnsOf(file))).toBeUndefined();
    expect(parseLine(header, 7)).toBeUndefined();
  });

  test.each(CSV.filter((file) => / W(,|$)/m.test(captureText(file))))(
    "%s: a cell that still has its unit is no number",
    (file) => {
      for (const line of dataLinesOf(file))
        expect(parseLine(line, 7, columnsOf(file))).toBeUndefined();
    },
  );

  test.each(PROSE)("%s: no line is a reading, whatever digits are in it", (file) => {
    for (const line of captureText(file).split("\n"))
      for (const columns of [undefined, 1, 3, RAIL_COLUMNS])
        expect(parseLine(line, 7, columns)).toBeUndefined();
  });

  test("devices are told by the cells that say so", () => {
    const devicesOf = (file: string) =>
      dataLinesOf(file).map(
        (line) => parseLine(withoutUnits(line), 7, columnsOf(file))?.device ?? "none",
      );
    expect(devicesOf("nvidia-smi-b200-l1-withunits.csv")).toEqual(["0", "0", "0"]);
    expect(devicesOf("nvidia-smi-rtx4090-windows-crlf.csv")).toEqual(["GPU-abc"]);
    expect(devicesOf("nvidia-smi-stream-mixed-two-gpus-one-na.csv")).toEqual([
      "0",
      "none",
      "0",
      "none",
    ]);
    // Four GPUs that only their order tells apart: no name is made up.
    expect(devicesOf("nvidia-smi-gb200-rail-4gpu-tick-noheader.csv")).toEqual(
      Array(4).fill("none"),
    );
  });

  test("wherever the power of the many unavailable cells stands, it is no reading", () => {
    const [line = ""] = dataLinesOf("nvidia-smi-rtx3080-many-na.csv");
    const cells = line.split(",").map((cell) => cell.trim());
    expect(cells).toHaveLength(27);
    const places = cells.flatMap((cell, i) => (cell === "[N/A]" ? [i] : []));
    expect(places).toHaveLength(16);
    for (const place of places) {
      const columns = cells.map((_, i) => (i === place ? "power.draw" : `column${i}`));
      expect(parseLine(line, 7, columns)).toBeUndefined();
    }
  });
});

/** One column of a capture as readings at the capture's own times, which are UTC + 1 h. */
function series(file: string, column: string): PowerSample[] {
  const atMs = columnOf(file, "timestamp").map(epochMs);
  return columnOf(file, column).map(
    (cell, i) => parseLine(withoutUnits(cell), atMs[i] ?? Number.NaN, 1)!,
  );
}

function epochMs(timestamp: string): number {
  const [, date = "", time = ""] = /^(\S+) (\S+)$/.exec(timestamp) ?? [];
  return Date.parse(`${date.replaceAll("/", "-")}T${time}+01:00`);
}

/** Joules by trapezoids with power interpolated at both edges: not what `integrate` gives. */
function trapezoidJ(samples: readonly PowerSample[], startMs: number, endMs: number): number {
  let energyJ = 0;
  for (const [i, to] of samples.entries()) {
    const from = samples[i - 1];
    if (from === undefined) continue;
    const powerAtW = (atMs: number) =>
      from.powerW + ((to.powerW - from.powerW) * (atMs - from.atMs)) / (to.atMs - from.atMs);
    const fromMs = Math.max(from.atMs, startMs);
    const toMs = Math.min(to.atMs, endMs);
    if (toMs > fromMs) energyJ += ((powerAtW(fromMs) + powerAtW(toMs)) / 2) * (toMs - fromMs);
  }
  return energyJ / 1000;
}

const wholeOf = (samples: readonly PowerSample[]) =>
  [samples[0]!.atMs, samples.at(-1)!.atMs] as const;

const longestGapMs = (samples: readonly PowerSample[]) =>
  Math.max(...samples.slice(1).map(({ atMs }, i) => atMs - samples[i]!.atMs));

describe("recordings", () => {
  test.each(Object.entries(RECORDINGS))("%s has %d readings", (file, count) => {
    expect(series(file, "power.draw [W]")).toHaveLength(count);
  });

  test("RTX 3090, step: the held integral of the window, and what lies beside it", () => {
    const file = "nvidia-smi-rtx3090-driver535-step-250ms.csv";
    const average = series(file, "power.draw.average [W]");
    const instant = series(file, "power.draw.instant [W]");
    const [startMs, endMs] = [1_688_840_857_595.627, 1_688_840_863_524.417];

    const held = integrate(average, startMs, endMs);
    expect(held?.energyJ).toBeCloseTo(2251.27, 2);
    expect(held).toMatchObject({ samples: 24, maxPowerW: 419.46 });
    expect(held?.windowS).toBeCloseTo(5.92879, 5);
    // The lag of a mean over the last second, in the window's first second: about 365 J went in.
    expect(integrate(average, startMs, startMs + 1000)?.energyJ).toBeCloseTo(207.3, 1);

    const inWindowJ = trapezoidJ(average, startMs, endMs);
    expect(inWindowJ).toBeCloseTo(2287.85, 2);
    expect(inWindowJ / held!.windowS).toBeCloseTo(385.89, 2);
    const instantJ = trapezoidJ(instant, startMs, endMs);
    expect(instantJ).toBeCloseTo(2420.65, 2);
    expect(instantJ / held!.windowS).toBeCloseTo(408.29, 2);
    expect(1 - inWindowJ / instantJ).toBeCloseTo(0.055, 3);

    const [firstMs, lastMs] = wholeOf(average);
    expect(lastMs - firstMs).toBe(15_956);
    expect(trapezoidJ(average, firstMs, lastMs)).toBeCloseTo(3787.35, 2);
    expect(trapezoidJ(instant, firstMs, lastMs)).toBeCloseTo(3760.14, 2);
  });

  test("A100, step: no average, a gap of 0.33 s, and nothing refused for it", () => {
    const samples = series("nvidia-smi-a100-no-average-step-250ms.csv", "power.draw.instant [W]");
    expect(samples).toEqual(series("nvidia-smi-a100-no-average-step-250ms.csv", "power.draw [W]"));
    const [startMs, endMs] = [1_689_325_828_417.687, 1_689_325_834_387.604];
    expect(trapezoidJ(samples, startMs, endMs)).toBeCloseTo(1103.06, 2);
    expect(trapezoidJ(samples, startMs, endMs) / ((endMs - startMs) / 1000)).toBeCloseTo(184.77, 2);
    expect(integrate(samples, startMs, endMs)?.energyJ).toBeCloseTo(1092.66, 2);
    expect(longestGapMs(samples)).toBe(330);
    const sensor = { averagingMs: 25, updateMs: 100, kind: "instant" } as const;
    expect(
      judgeSeries(samples, startMs, endMs, {
        name: "A100",
        periodMs: 250,
        sensor,
        isWorking: true,
      }),
    ).toEqual([]);
  });

  test("B200: three readings a second apart", () => {
    const samples = series("nvidia-smi-b200-l1-withunits.csv", "power.draw [W]");
    const [firstMs, lastMs] = wholeOf(samples);
    expect(lastMs - firstMs).toBe(2000);
    expect(trapezoidJ(samples, firstMs, lastMs)).toBeCloseTo(695.41, 2);
    // Each held to the next: 380.42 W and 336.61 W, one second of each.
    expect(integrate(samples, firstMs, lastMs)?.energyJ).toBeCloseTo(717.03, 6);
  });

  test.each([
    ["nvidia-smi-rtx3090-driver535-lms5-raw.csv", 7, 4],
    ["nvidia-smi-v100-no-average-lms5-raw.csv", 7, 8],
    ["nvidia-smi-a5000-lms5-raw.csv", 7, 2],
  ])(
    "%s: asked every 5 ms, read every %d ms; the sensor said only %d things",
    (file, tickMs, values) => {
      const samples = series(file, "power.draw [W]");
      expect(medianTickMs(samples)).toBe(tickMs);
      const changes = samples.filter(({ powerW }, i) => powerW !== samples[i - 1]?.powerW);
      expect(changes).toHaveLength(values);
    },
  );

  test.each([
    ["nvidia-smi-rtx3090-driver535-lms5-raw.csv", "power.draw.average [W]"],
    ["nvidia-smi-rtx3090-driver535-step-250ms.csv", "power.draw.average [W]"],
    ["nvidia-smi-a5000-lms5-raw.csv", "power.draw.average [W]"],
    ["nvidia-smi-a100-no-average-step-250ms.csv", "power.draw.instant [W]"],
    ["nvidia-smi-v100-no-average-lms5-raw.csv", "power.draw.instant [W]"],
  ])("%s: power.draw is %s", (file, column) => {
    expect(series(file, "power.draw [W]")).toEqual(series(file, column));
  });
});

describe("a sensor that stands still", () => {
  const file = "nvidia-smi-frozen-sensor-unknown-error.csv";
  const excerpt = series(file, "power.draw [W]");
  const facts = {
    name: "GPU 0",
    periodMs: 50,
    sensor: { averagingMs: 1000, updateMs: 100, kind: "average" },
    isWorking: true,
  } as const;

  /**
   * The 12,792 rows of the recording. Only 15 were handed on, all 46.19 W: those stand at their
   * own times, and as many rows as are missing fill the two holes evenly, with the same watts.
   */
  function recording(): PowerSample[] {
    const missing = 12_792 - excerpt.length;
    const holes = [5, 10].map((i) => ({
      fromMs: excerpt[i - 1]!.atMs,
      lengthMs: excerpt[i]!.atMs - excerpt[i - 1]!.atMs,
    }));
    const fill = holes.flatMap(({ fromMs, lengthMs }, hole) => {
      const count = hole === 0 ? missing >> 1 : missing - (missing >> 1);
      return Array.from({ length: count }, (_, i) => ({
        atMs: fromMs + (lengthMs * (i + 1)) / (count + 1),
        powerW: 46.19,
      }));
    });
    return [...excerpt, ...fill].toSorted((a, b) => a.atMs - b.atMs);
  }

  test("is refused over the 699.6 s of the recording, although every row is a reading", () => {
    const samples = recording();
    const [firstMs, lastMs] = wholeOf(samples);
    expect(samples).toHaveLength(12_792);
    expect((lastMs - firstMs) / 1000).toBeCloseTo(699.6, 1);
    // What a meter would say that believed it.
    expect(integrate(samples, firstMs, lastMs)?.meanPowerW).toBeCloseTo(46.19, 9);
    const reasons = judgeSeries(samples, firstMs, lastMs, facts);
    expect(reasons.map(({ reason }) => reason)).toEqual(["rail_frozen"]);
    expect(reasons[0]).toMatchObject({ refuses: "energy" });
    expect(reasons[0]?.detail).toContain("46.19 W");
  });

  test("the temperature rose all the while, so it did work", () => {
    expect(columnOf(file, "temperature.gpu").map(Number)).toEqual([
      ...Array(5).fill(32),
      58,
      ...Array(4).fill(57),
      ...Array(5).fill(60),
    ]);
    expect(new Set(columnOf(file, "clocks.current.sm [MHz]"))).toEqual(
      new Set(["[Unknown Error]"]),
    );
  });

  test("the excerpt alone is refused too, for its holes as well", () => {
    const reasons = judgeSeries(excerpt, ...wholeOf(excerpt), facts);
    expect(reasons.map(({ reason }) => reason)).toEqual(["rail_gap", "rail_frozen"]);
  });

  test("one digit that moves every ten seconds is a sensor that lives", () => {
    const alive = recording().map(({ atMs, powerW }) => ({
      atMs,
      powerW: powerW + (Math.floor(atMs / 9000) % 2) / 100,
    }));
    const [firstMs, lastMs] = wholeOf(alive);
    expect(judgeSeries(alive, firstMs + 2000, lastMs - 2000, facts)).toEqual([]);
  });
});

describe("several GPUs", () => {
  test("one of two without readings: no total, and not the other one's 80.50 W", () => {
    const file = "nvidia-smi-stream-mixed-two-gpus-one-na.csv";
    const samples = dataLinesOf(file).map((line, i) => parseLine(line, 250 * i, columnsOf(file)));
    const byGpu = ["0", "1"].map((id) =>
      samples.flatMap((sample) => (sample?.device === id ? [sample] : [])),
    );
    expect(byGpu.map((own) => own.map(({ powerW }) => powerW))).toEqual([[80.5, 81.12], []]);
    expect(sumDevices(byGpu, 0, 1000)).toBeUndefined();
    expect(sumDevices(byGpu.toReversed(), 0, 1000)).toBeUndefined();
    expect(sumDevices(byGpu.slice(0, 1), 0, 1000)?.samples).toBe(2);
  });

  test("GB200: a tick of four GPUs is spread over 48 ms, and its sum is 2009.42 W", () => {
    const file = "nvidia-smi-gb200-driver570-l1-withheader.csv";
    const samples = series(file, "power.draw [W]");
    const ids = columnOf(file, "pci.bus_id");
    const byGpu = [...new Set(ids)].map((id) => samples.filter((_, i) => ids[i] === id));
    expect(byGpu.map((own) => own.length)).toEqual([2, 1, 1, 1]);
    const [startMs, endMs] = [samples[1]!.atMs, samples[4]!.atMs];
    expect(endMs - startMs).toBe(48);
    const sum = sumDevices(byGpu, startMs, endMs);
    expect(sum?.meanPowerW).toBeCloseTo(2009.42, 9);
    expect(sum?.maxPowerW).toBeCloseTo(2009.42, 9);
    expect(sum?.samples).toBe(4);
  });
});

describe("other examples of the same kinds", () => {
  const STREAM = [...RAIL_COLUMNS, "index", "uuid", INSTANT];
  const GOOD = ["61.2", "Active", "Not Active", "3", "GPU-abc", "58.9"];
  const whole = parseLine(GOOD.join(", "), 7, STREAM)!;
  const tokens = [
    "[N/A]",
    "[Not Supported]",
    "[Insufficient Permissions]",
    "[GPU requires reset]",
    "[GPU is lost]",
    "[Requested functionality has been deprecated]",
    "[Unknown Error]",
    "[Unknown Error 99]",
  ];

  /** The good row with other cells at some places. */
  const rowWith = (cells: Readonly<Record<number, string>>) =>
    parseLine(GOOD.map((cell, i) => cells[i] ?? cell).join(", "), 7, STREAM);
  const without = (...keys: (keyof PowerSample)[]) =>
    Object.fromEntries(Object.entries(whole).filter(([key]) => !keys.some((one) => one === key)));

  test.each(tokens)("“%s” makes unknown the cell that it stands in, and no other", (token) => {
    expect(rowWith({ 0: token })).toBeUndefined();
    expect(rowWith({ 1: token })).toEqual(without("swPowerCap"));
    expect(rowWith({ 2: token })).toEqual(without("hwPowerBrake"));
    expect(rowWith({ 3: token })).toEqual(whole);
    expect(rowWith({ 4: token })).toEqual({ ...whole, device: "3" });
    expect(rowWith({ 3: token, 4: token })).toEqual(without("device"));
    expect(rowWith({ 5: token })).toEqual(without("instantW"));
    expect(rowWith(Object.fromEntries(GOOD.map((_, i) => [i, token])))).toBeUndefined();
  });

  test.each(tokens)("“%s” behind the three columns of the reference", (token) => {
    expect(parseLine(`61.2, ${token}, ${token}`, 7, 3)).toEqual({ atMs: 7, powerW: 61.2 });
    expect(parseLine(`${token}, Active, Active`, 7, 3)).toBeUndefined();
    expect(parseLine(token, 7, 1)).toBeUndefined();
  });

  test("a token with a comma in it is a line with too many cells, and rejected", () => {
    expect(rowWith({ 1: "[Unknown Error, see dmesg]" })).toBeUndefined();
  });

  test("columns in any order, by their new names and by their old ones", () => {
    const names = STREAM.map((name) => name.replace("event", "throttle"));
    for (let turn = 0; turn < STREAM.length; turn++) {
      const turned = <T>(list: readonly T[]) => [...list.slice(turn), ...list.slice(0, turn)];
      // `.instant` first is the power itself.
      if (turned(STREAM).indexOf(INSTANT) < turned(STREAM).indexOf("power.draw.average")) continue;
      expect(parseLine(turned(GOOD).join(", "), 7, turned(STREAM))).toEqual(whole);
      expect(parseLine(turned(GOOD).join(", "), 7, turned(names))).toEqual(whole);
    }
    const reversed = [CAP, BRAKE, "index", "uuid", "power.draw"].toReversed();
    expect(parseLine("4.5, GPU-b, 1, Active, Not Active", 7, reversed)).toEqual({
      atMs: 7,
      powerW: 4.5,
      swPowerCap: false,
      hwPowerBrake: true,
      device: "GPU-b",
    });
  });

  test("what is no draw of the GPU is not read as one", () => {
    const columns = [
      "module.power.draw.average [W]",
      "power.limit [W]",
      "enforced.power.limit [W]",
    ];
    expect(parseLine("900.00, 700.00, 700.00", 7, columns)).toBeUndefined();
    expect(
      parseLine("900.00, 700.00, 61.20", 7, [...columns.slice(0, 2), "power.draw [W]"]),
    ).toEqual({ atMs: 7, powerW: 61.2 });
  });

  test.each(["\r", " \r", "\r\r"])("a Windows end %j belongs to no cell", (end) => {
    const cells = ["61.2", "Not Active", "Active", "0", "GPU-abc"];
    const sample = parseLine(`${cells.join(", ")}${end}`, 7, [...RAIL_COLUMNS, "index", "uuid"]);
    expect(sample?.device).toBe("GPU-abc");
    expect(parseLine(`61.2, Not Active, Active${end}`, 7, 3)?.hwPowerBrake).toBe(true);
  });

  test.each(CSV.filter((file) => ANSWERS[file]!.some((answer) => answer !== "reject")))(
    "%s: a line that is cut before its last cell is no reading",
    (file) => {
      const columns = columnsOf(file);
      if (columns.length === 1) return;
      for (const line of dataLinesOf(file).map(withoutUnits).slice(0, 5))
        for (let end = 0; end <= line.lastIndexOf(","); end++)
          expect(parseLine(line.slice(0, end), 7, columns)).toBeUndefined();
    },
  );
});
