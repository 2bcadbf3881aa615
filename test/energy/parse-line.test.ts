import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLine } from "../../src/energy/parse-line.ts";

const STREAM = [
  "power.draw.average",
  "clocks_event_reasons.sw_power_cap",
  "clocks_event_reasons.hw_power_brake_slowdown",
  "index",
  "uuid",
  "power.draw.instant",
];

describe("parseLine", () => {
  test("reads watts and both flags, stamped as told", () => {
    expect(parseLine("627.40, Active, Not Active", 12.5)).toEqual({
      atMs: 12.5,
      powerW: 627.4,
      swPowerCap: true,
      hwPowerBrake: false,
    });
  });

  test.each([
    "[N/A]",
    "N/A",
    "[Unknown Error]",
    "[GPU is lost]",
    "[Not Supported]",
    "[Insufficient Permissions]",
    "[GPU requires reset]",
    "[Requested functionality has been deprecated]",
    "ERR!",
    "",
    "inf",
    "Infinity",
    "nan",
    "NaN",
    "-5",
    "-0.00",
    "1e999",
    "0x1F",
    "12,5",
    "12.5 W",
    "12.5W",
    "1 2",
    "12.5.1",
    "１２",
    "null",
    "1_000",
    "62026/07/03 22:11:11.101",
  ])("a watt cell “%s” is no reading, and never 0 W", (cell) => {
    expect(parseLine(`${cell}, Not Active, Not Active`, 0, 3)).toBeUndefined();
  });

  test.each([
    ["0", 0],
    ["0.00", 0],
    ["4.76", 4.76],
    [".5", 0.5],
    ["2550", 2550],
  ])("a watt cell “%s” is %d W", (cell, powerW) => {
    expect(parseLine(`${cell}, Not Active, Not Active`, 0, 3)?.powerW).toBe(powerW);
  });

  test.each(["Sometimes", "[N/A]", "active", "ACTIVE", "", "0"])(
    "a flag cell “%s” is neither true nor false",
    (cell) => {
      const sample = parseLine(`61.2, ${cell}, ${cell}`, 0, 3);
      expect(sample).toEqual({ atMs: 0, powerW: 61.2 });
    },
  );

  test("missing flag cells are unknown, not false", () => {
    expect(parseLine("61.2", 0)).toEqual({ atMs: 0, powerW: 61.2 });
  });

  test("the CR of a Windows line belongs to no cell", () => {
    expect(parseLine("61.2, Active, Not Active\r", 0, 3)).toMatchObject({
      swPowerCap: true,
      hwPowerBrake: false,
    });
  });

  test("without a number of columns, more cells may follow; with one, none may", () => {
    const line = "61.2, Active, Not Active, 0, GPU-a";
    expect(parseLine(line, 0)?.powerW).toBe(61.2);
    expect(parseLine(line, 0, 3)).toBeUndefined();
    expect(parseLine(line, 0, 5)?.powerW).toBe(61.2);
    expect(parseLine("61.2, Active", 0, 3)).toBeUndefined();
  });

  test("by the names of the columns, a line tells its device and its instant power", () => {
    expect(parseLine("61.2, Active, Not Active, 3, GPU-abc, 58.9", 0, STREAM)).toEqual({
      atMs: 0,
      powerW: 61.2,
      swPowerCap: true,
      hwPowerBrake: false,
      device: "GPU-abc",
      instantW: 58.9,
    });
  });

  test("an instant power that is not known leaves the reading standing", () => {
    const sample = parseLine("61.2, Active, Not Active, 3, GPU-abc, [N/A]", 0, STREAM);
    expect(sample?.powerW).toBe(61.2);
    expect(sample).not.toHaveProperty("instantW");
  });

  test("a device without a uuid goes by its index", () => {
    expect(parseLine("61.2, Active, Not Active, 3, [N/A], 1", 0, STREAM)?.device).toBe("3");
  });

  test("header names with units find their columns, wherever they stand", () => {
    const columns = [
      "timestamp",
      "index",
      "power.draw [W]",
      "clocks_throttle_reasons.sw_power_cap",
    ];
    expect(parseLine("2026/07/03 22:11:09.763, 0, 627.40, Active", 0, columns)).toEqual({
      atMs: 0,
      powerW: 627.4,
      swPowerCap: true,
      device: "0",
    });
  });

  test("columns without a power field give no reading", () => {
    expect(parseLine("0, 62", 0, ["index", "temperature.gpu"])).toBeUndefined();
  });

  test("every finite number from 0 on comes back as it was written", () => {
    fc.assert(
      fc.property(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), (powerW) => {
        fc.pre(!Object.is(powerW, -0));
        expect(parseLine(`${powerW}, Active, Not Active`, 0, 3)?.powerW).toBe(powerW);
      }),
    );
  });

  test("whatever the line says, the answer is nothing or a finite number from 0 on", () => {
    const cells = fc.array(fc.oneof(fc.string(), fc.double().map(String)), { maxLength: 6 });
    fc.assert(
      fc.property(cells, fc.option(fc.nat({ max: 6 })), (parts, columns) => {
        const sample = parseLine(parts.join(","), 0, columns ?? undefined);
        if (sample === undefined) return;
        expect(Number.isFinite(sample.powerW)).toBe(true);
        expect(sample.powerW).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test("a line cut anywhere before its last cell is rejected when the columns are known", () => {
    const line = "626.88, Not Active, Not Active, 0, GPU-abc, 625.1";
    const lastComma = line.lastIndexOf(",");
    for (let end = 0; end <= lastComma; end++)
      expect(parseLine(line.slice(0, end), 0, STREAM)).toBeUndefined();
  });
});
