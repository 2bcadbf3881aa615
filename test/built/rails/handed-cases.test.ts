import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EnergyWindow, PowerSample } from "joulemark";
import { describe, expect, test } from "vitest";
import type { Scenario, ScenarioDevice } from "../../../src/engine/nvidia-smi/scenario.ts";
import { eventually } from "../../support/eventually.ts";
import { gpu } from "../../support/scenarios.ts";
import { ANSWERS, RECORDINGS, type Reading } from "./handed-cases/answers.ts";
import {
  AVERAGE,
  BRAKE,
  CAP,
  CAPTURES,
  captureText,
  DRAW,
  INSTANT,
} from "./handed-cases/captures.ts";
import { CASES, driverOf, type HandedCase, type ReadableCase } from "./handed-cases/cases.ts";
import {
  type OnFinished,
  open,
  type Played,
  played,
  playing,
  refusal,
} from "./handed-cases/play.ts";

function casesOf<K extends HandedCase["kind"]>(kind: K): Extract<HandedCase, { kind: K }>[] {
  return CASES.filter((one): one is Extract<HandedCase, { kind: K }> => one.kind === kind);
}

/** A reading without its time and its device. */
function readingOf({ atMs: _atMs, device: _device, ...reading }: PowerSample): Reading {
  return reading;
}

/** What the capture's rows are as readings of this field. */
function expectedReadings({ file, field }: ReadableCase): readonly Reading[] {
  return ANSWERS[file]!.filter((answer) => answer !== "reject").map((answer) => {
    // The instant power is not asked for twice.
    const { instantW, ...rest } = answer;
    return field === INSTANT || instantW === undefined ? rest : answer;
  });
}

/** The plain integral over all readings of a rail. */
function windowOfAll({ sampler, samples }: Played): EnergyWindow | undefined {
  return sampler.windowNow(samples()[0]!.atMs - 1, samples().at(-1)!.atMs + 1);
}

/** Why a window from the first reading to after the last one has no figure. */
function reasonsOfAll({ sampler, samples }: Played): string[] {
  const window = sampler.judge(samples()[0]!.atMs, samples().at(-1)!.atMs + 500);
  expect(window.state).toBe("refused");
  return window.reasons.map(({ reason }) => reason);
}

/** Indexes of the GPUs, reading by reading. */
function gpusOf({ sampler, samples }: Played): (number | undefined)[] {
  const indexes = new Map(sampler.facts.devices.map(({ id, index }) => [id, index]));
  return samples().map(({ device = "" }) => indexes.get(device));
}

test("every handed answer of nvidia-smi is played here", () => {
  expect(CAPTURES).toHaveLength(53);
  expect([...new Set(CASES.map(({ file }) => file))].toSorted()).toEqual(CAPTURES.toSorted());
});

describe("captures that give readings", () => {
  // First, since it takes longest and the others run beside it.
  test.concurrent("a sensor that stands still under work is refused", async ({
    onTestFinished,
  }) => {
    // The 15 rows, slowly enough to last for more than ten seconds.
    const scenario = playing("nvidia-smi-frozen-sensor-unknown-error.csv", { intervalMs: 750 });
    const rail = await open(scenario, onTestFinished, { periodMs: 750 });
    await eventually("all rows", () => rail.samples().length === 15, 30_000);
    const [startMs, endMs] = [rail.samples()[0]!.atMs, rail.samples()[14]!.atMs];
    const window = rail.sampler.judge(startMs, endMs);
    expect(window).toMatchObject({ state: "refused", reasons: [{ reason: "rail_frozen" }] });
    expect(rail.sampler.judge(startMs, endMs, false).state).toBe("measured");
  });

  test.concurrent.for(casesOf("readable"))("$file", async (one, { onTestFinished }) => {
    const { file, field, devices, play, isOld, facts = {}, window = {}, reasons } = one;
    const rail = await open(
      { ...playing(file, play, devices, isOld), ...driverOf(one) },
      onTestFinished,
    );
    const readings = expectedReadings(one);
    const rejects = one.rejected ?? ANSWERS[file]!.length - readings.length;
    await played(rail, readings.length, rejects);

    expect(rail.sampler.facts.fields[0]).toBe(field);
    expect(rail.sampler.facts).toMatchObject(facts);
    expect(rail.samples().map(readingOf)).toEqual(readings);
    expect(gpusOf(rail)).toEqual(one.gpus ?? readings.map(() => 0));
    expect(rail.rejected()).toHaveLength(rejects);
    const whole = windowOfAll(rail);
    for (const [key, value] of Object.entries(window))
      expect({ [key]: whole?.[key as keyof EnergyWindow] }).toEqual({
        [key]: value === undefined ? undefined : expect.closeTo(value, 9),
      });
    if (reasons?.includes("rail_device_missing")) expect(whole).toBeUndefined();
    else expect(whole?.samples).toBe(readings.length);
    if (reasons) expect(reasonsOfAll(rail)).toEqual(expect.arrayContaining([...reasons]));
    const cost = await rail.sampler.stop();
    expect(cost).toMatchObject({ samples: readings.length, rejectedLines: rejects });
  });

  test.each(Object.entries(RECORDINGS))("%s has %d readings", (file, count) => {
    expect(ANSWERS[file]).toHaveLength(count);
  });

  test.concurrent("GB200: one tick of the board is 2009.42 W", async ({ onTestFinished }) => {
    const one = casesOf("readable").find(({ file }) => file.includes("gb200-driver570"))!;
    const scenario = playing(one.file, { rowsPerTick: 4, skipRows: 1 }, one.devices);
    // That machine was asked for the flags by their old names and answered by the new ones.
    const refusedFields = ["clocks_event_reasons.*"];
    const rail = await open({ ...scenario, refusedFields }, onTestFinished);
    await played(rail, 4);
    expect(gpusOf(rail)).toEqual([0, 1, 2, 3]);
    expect(windowOfAll(rail)?.meanPowerW).toBeCloseTo(2009.42, 9);
    expect(rail.sampler.facts.fields.slice(0, 2)).toEqual([
      DRAW,
      "clocks_throttle_reasons.sw_power_cap",
    ]);
  });

  test.concurrent("lines that only their order tells apart are no readings", async ({
    onTestFinished,
  }) => {
    const file = "nvidia-smi-gb200-rail-4gpu-tick-noheader.csv";
    const devices = [0, 1, 2, 3].map((index) => gpu(index));
    const scenario = playing(file, { raw: true, rowsPerTick: 4, loop: true }, devices);
    const message = await refusal(scenario, onTestFinished, { startTimeoutMs: 2000 });
    expect(message).toContain("lines were rejected, the last one “517.58, Not Active, Not Active”");
  });
});

describe("captures on which no rail opens", () => {
  test.concurrent.for(casesOf("unreadable"))("$file: $says.0", async (one, { onTestFinished }) => {
    const scenario = { ...playing(one.file, one.play, one.devices, true), ...driverOf(one) };
    const message = await refusal(scenario, onTestFinished);
    for (const part of one.says) expect(message).toContain(part);
  });

  test.concurrent.for(casesOf("error"))("$file", async (one, { onTestFinished }) => {
    const text = captureText(one.file);
    const wholeOutput = { text, exitCode: one.exitCode };
    const message = await refusal({ devices: [gpu(0)], wholeOutput }, onTestFinished);
    for (const line of text.split("\n")) expect(message).toContain(line.trim());
    expect(message).toContain(one.remedy);
    // A refused field is told without the code.
    expect(message).toContain(`exit code ${one.exitCode}`);
  });

  // The real program prints them on stdout; a wrapper may send them elsewhere.
  test.concurrent("an error on stderr is told as well", async ({ onTestFinished }) => {
    const text = captureText("nvidia-smi-err-version-mismatch.txt");
    const wholeOutput = { text, exitCode: 18, stream: "stderr" } as const;
    const message = await refusal({ devices: [gpu(0)], wholeOutput }, onTestFinished);
    expect(message).toContain("Driver/library version mismatch / NVML library version: 535.161");
  });

  test.concurrent.for(
    casesOf("error").filter(({ file }) => /gpu-lost|not-communicating/.test(file)),
  )("$file in mid-run", async ({ exitCode, file }, { onTestFinished }) => {
    const stdout = captureText(file);
    const die = { kind: "die", afterTicks: 3, exitCode, stdout } as const;
    const scenario = { devices: [gpu(0)], faults: [die], timing: { jitterMs: [0, 5] } } as const;
    const rail = await open(scenario, onTestFinished);
    await eventually("the end", () => rail.events.at(-1)?.kind === "ended");
    expect(rail.samples()).toHaveLength(3);
    const end = rail.events.at(-1);
    const why = end?.kind === "ended" ? end.why : "";
    expect(why).toContain(`exit code ${exitCode}`);
    expect(why).toContain(stdout.slice(0, 60));
    expect(reasonsOfAll(rail)).toContain("rail_stalled");
  });
});

describe("the text of nvidia-smi -q", () => {
  test.concurrent.for(casesOf("report"))(
    "$file is no answer to a query",
    async (one, { onTestFinished }) => {
      const wholeOutput = { text: captureText(one.file), exitCode: 0 };
      const message = await refusal({ devices: [gpu(0)], wholeOutput }, onTestFinished);
      expect(message).toContain("nvidia-smi said");
    },
  );

  test.concurrent.for(casesOf("report"))(
    "$file: a query of that machine",
    async (one, { onTestFinished }) => {
      const device = gpu(0, { name: one.name, cells: cellsOf(captureText(one.file)) });
      const rail = await open({ devices: [device] }, onTestFinished);
      expect(rail.sampler.facts.fields[0]).toBe(one.field);
      expect(rail.sampler.facts.devices[0]).toMatchObject({ index: 0, name: one.name });
      const { powerW, instantW } = one;
      expect(readingOf(rail.samples()[0]!)).toEqual({
        powerW,
        ...(instantW === undefined ? {} : { instantW }),
        swPowerCap: false,
        hwPowerBrake: false,
      });
    },
  );

  /** The cells that a query would have, from the section of the GPU's own power. */
  function cellsOf(text: string): Record<string, string> {
    const [, section = ""] = /GPU Power Readings\n((?: {8}.*\n)+)/.exec(text) ?? [];
    const textOf = (name: string) =>
      new RegExp(`${name} +: (.*)`).exec(section)?.[1]?.replace(/ W$/, "") ?? "missing";
    const averageW = textOf("Average Power Draw");
    const instantW = textOf("Instantaneous Power Draw");
    return { [AVERAGE]: averageW, [INSTANT]: instantW, [DRAW]: averageW };
  }
});

describe("other examples of the same kinds", () => {
  const TOKENS = [
    "[N/A]",
    "[Not Supported]",
    "[Insufficient Permissions]",
    "[GPU requires reset]",
    "[GPU is lost]",
    "[Requested functionality has been deprecated]",
    "[Unknown Error]",
  ];
  const GOOD = ["100.50", "Active", "Not Active", "0", "GPU-00000000", "99.25"];
  const good: Reading = {
    powerW: 100.5,
    swPowerCap: true,
    hwPowerBrake: false,
    instantW: 99.25,
  };

  /** The good row with other cells at some places. */
  const row = (cells: Readonly<Record<number, string>> = {}) =>
    GOOD.map((cell, i) => cells[i] ?? cell).join(", ");

  /** A stand-in whose loop prints these lines as they are; queries are answered from the GPUs. */
  async function printing(
    lines: readonly string[],
    onFinished: OnFinished,
    {
      devices = [gpu(0)],
      rowsPerTick = 1,
    }: { devices?: ScenarioDevice[]; rowsPerTick?: number } = {},
  ): Promise<Scenario> {
    const dir = await mkdtemp(join(tmpdir(), "joulemark-lines-"));
    onFinished(() => rm(dir, { recursive: true, force: true }));
    const file = join(dir, "lines.csv");
    await writeFile(file, lines.map((line) => `${line}\n`).join(""));
    return { devices, playback: { file, raw: true, rowsPerTick, intervalMs: 20 } };
  }

  /** A GPU for each token, which it says in these cells. */
  const gpusThatSay = (...fields: readonly string[]) =>
    TOKENS.map((token, index) =>
      gpu(index, { cells: Object.fromEntries(fields.map((field) => [field, token])) }),
    );

  test.concurrent("every token for all power is said, by GPU and by field", async ({
    onTestFinished,
  }) => {
    const devices = gpusThatSay(AVERAGE, INSTANT, DRAW);
    const message = await refusal({ devices }, onTestFinished);
    for (const [index, token] of TOKENS.entries())
      for (const field of [AVERAGE, INSTANT, DRAW])
        expect(message).toContain(`GPU ${index} ${field} ${token}`);
  });

  test.concurrent("every token for two fields: the third is read", async ({ onTestFinished }) => {
    const rail = await open({ devices: gpusThatSay(AVERAGE, DRAW) }, onTestFinished);
    expect(rail.sampler.facts.fields[0]).toBe(INSTANT);
    expect(rail.sampler.facts.warnings).toEqual([]);
    expect(rail.samples()[0]).not.toHaveProperty("instantW");
  });

  test.concurrent("one GPU of three says a token for all power: a warning, and no total", async ({
    onTestFinished,
  }) => {
    const silent = gpusThatSay(AVERAGE, INSTANT, DRAW).at(-1)!;
    const rail = await open({ devices: [gpu(0), silent, gpu(1)] }, onTestFinished);
    await eventually("readings", () => rail.samples().length >= 6);
    expect(rail.sampler.facts.warnings.join()).toMatch(/GPU 6 .*\[Unknown Error\]/);
    expect(reasonsOfAll(rail)).toContain("rail_device_missing");
    expect(windowOfAll(rail)).toBeUndefined();
  });

  test.concurrent("every token in one cell of a row, then in all of them", async ({
    onTestFinished,
  }) => {
    const lines = TOKENS.flatMap((token) => [
      ...GOOD.map((_, i) => row({ [i]: token })),
      GOOD.map(() => token).join(", "),
    ]);
    const rail = await open(await printing([row(), ...lines], onTestFinished), onTestFinished);
    await played(rail, 1 + 5 * TOKENS.length, 2 * TOKENS.length);
    const { instantW: _instantW, ...plain } = good;
    const five = [
      { powerW: 100.5, hwPowerBrake: false, instantW: 99.25 },
      { powerW: 100.5, swPowerCap: true, instantW: 99.25 },
      good,
      good,
      plain,
    ];
    expect(rail.samples().map(readingOf)).toEqual([good, ...TOKENS.flatMap(() => five)]);
    expect(new Set(gpusOf(rail))).toEqual(new Set([0]));
    expect(rail.rejected()).toEqual(lines.filter((line) => line.startsWith("[")));
    // Each share is of the readings that told the flag.
    expect(windowOfAll(rail)).toMatchObject({ swPowerCapFrac: 1, hwPowerBrakeFrac: 0 });
  });

  test.concurrent("every token as a uuid: those GPUs go by their index", async ({
    onTestFinished,
  }) => {
    const rail = await open({ devices: gpusThatSay("uuid") }, onTestFinished);
    await eventually("two ticks", () => rail.samples().length >= 2 * TOKENS.length);
    expect(rail.sampler.facts.devices).toMatchObject(
      TOKENS.map((_, index) => ({ id: String(index), index, name: "NVIDIA H100 80GB HBM3" })),
    );
    for (const { device, powerW } of rail.samples())
      expect(Math.abs(powerW - 100 * (Number(device) + 1))).toBeLessThan(1);
    expect(rail.rejected()).toEqual([]);
  });

  test.concurrent("every token as an index: those GPUs go by their uuid", async ({
    onTestFinished,
  }) => {
    const rail = await open({ devices: gpusThatSay("index") }, onTestFinished);
    await eventually("two ticks", () => rail.samples().length >= 2 * TOKENS.length);
    const ids = rail.sampler.facts.devices.map(({ id }) => id);
    expect(ids).toEqual(TOKENS.map((_, index) => `GPU-0000000${index}`));
    for (const { device = "", powerW } of rail.samples())
      expect(Math.abs(powerW - 100 * (ids.indexOf(device) + 1))).toBeLessThan(1);
    expect(rail.rejected()).toEqual([]);
  });

  test.concurrent("neither index nor uuid: nothing is made up", async ({ onTestFinished }) => {
    const devices = [0, 1].map((index) =>
      gpu(index, { cells: { index: "[Unknown Error]", uuid: "[Unknown Error]" } }),
    );
    const message = await refusal({ devices }, onTestFinished, { startTimeoutMs: 2000 });
    expect(message).toContain("lines were rejected");
    expect(message).toContain("[Unknown Error], [Unknown Error]");
  });

  test.concurrent.for([[[1, 0]], [[3, 11, 2]], [[7, 6, 5, 4, 3, 2, 1, 0]]] as const)(
    "rows of the GPUs %j, in this order",
    async ([indexes], { onTestFinished }) => {
      const devices = indexes.map((index) => gpu(index));
      const tick = indexes.map((index) =>
        row({ 0: `${index}00.5`, 3: `${index}`, 4: gpu(index).uuid }),
      );
      // The second tick comes the other way round.
      const lines = [...tick, ...tick.toReversed()];
      const scenario = await printing(lines, onTestFinished, {
        devices,
        rowsPerTick: devices.length,
      });
      const rail = await open(scenario, onTestFinished);
      await played(rail, lines.length);
      expect(gpusOf(rail)).toEqual([...indexes, ...indexes.toReversed()]);
      for (const { device, powerW } of rail.samples()) {
        const index = devices.findIndex(({ uuid }) => uuid === device);
        expect(powerW).toBe(indexes[index]! * 100 + 0.5);
      }
      const totalW = indexes.reduce<number>((sum, index) => sum + index * 100 + 0.5, 0);
      expect(windowOfAll(rail)?.meanPowerW).toBeCloseTo(totalW, 6);
    },
  );

  test.concurrent("a row of a GPU that was not there before is not counted in", async ({
    onTestFinished,
  }) => {
    const stranger = row({ 3: "1", 4: "GPU-00000001" });
    const scenario = await printing([row(), stranger, row()], onTestFinished);
    const rail = await open(scenario, onTestFinished);
    await played(rail, 2, 1);
    expect(gpusOf(rail)).toEqual([0, 0]);
    expect(rail.rejected()).toEqual([stranger]);
  });

  test.concurrent.for<[string, string[], string, string | undefined]>([
    ["550.54", [BRAKE], AVERAGE, "clocks_throttle_reasons.sw_power_cap"],
    ["550.54", [BRAKE, "clocks_throttle_reasons.*"], AVERAGE, "index"],
    ["530.30", [INSTANT], AVERAGE, CAP],
    ["525.60", [AVERAGE], INSTANT, CAP],
    [
      "470.57",
      ["power.draw.*", "clocks_event_reasons.*"],
      DRAW,
      "clocks_throttle_reasons.sw_power_cap",
    ],
    ["390.12", ["power.draw.*", "clocks_*", "mig.mode.current"], DRAW, "index"],
  ])(
    "driver %s without %j: %s",
    async ([driverVersion, refusedFields, field, second], { onTestFinished }) => {
      const scenario = { devices: [gpu(0)], driverVersion, refusedFields };
      const rail = await open(scenario, onTestFinished);
      expect(rail.sampler.facts.fields[0]).toBe(field);
      expect(rail.sampler.facts.fields[1]).toBe(second);
      expect(rail.sampler.facts.driverVersion).toBe(driverVersion);
      expect(Math.abs(rail.samples()[0]!.powerW - 100)).toBeLessThan(1);
    },
  );

  test("a driver without the field says what the captured one said", async () => {
    expect(captureText("nvidia-smi-err-invalid-field-average-driver525.txt")).toBe(
      `Field "${AVERAGE}" is not a valid field to query.\n\n`,
    );
  });

  test.concurrent("headers by old names and new ones, with units and without, are skipped", async ({
    onTestFinished,
  }) => {
    const names = [AVERAGE, CAP, BRAKE, "index", "uuid", INSTANT];
    const old = names.map((name) => name.replace("event", "throttle"));
    const withUnits = (list: string[]) =>
      list.map((name) => (name.startsWith("power") ? `${name} [W]` : name)).join(", ");
    const lines = [withUnits(names), row(), "", withUnits(old), row(), "  ", old.join(", "), row()];
    const crlf = lines.map((line) => `${line}\r`);
    const text = [...lines, ...crlf];
    const rail = await open(await printing(text, onTestFinished), onTestFinished);
    await played(rail, 6);
    expect(rail.samples().map(readingOf)).toEqual(Array(6).fill(good));
    expect(rail.rejected()).toEqual([]);
  });

  test.concurrent("errors and torn rows in mid-stream are counted, never read", async ({
    onTestFinished,
  }) => {
    const bad = [
      "Unable to determine the device handle for GPU 0000:02:00.0: GPU is lost.  Reboot the system",
      "0, 0, 0, 0, 0",
      row({ 0: "627.40 W" }),
      row({ 0: "-5" }),
      row({ 0: "inf" }),
      row({ 0: "6262026/07/03 22:11:11.101" }),
      `${row()}, 0`,
      `100.50, Active, Not Act${row()}`,
      row().slice(0, 20),
      "62",
    ];
    const lines = bad.flatMap((line) => [row(), line]);
    const rail = await open(await printing(lines, onTestFinished), onTestFinished);
    await played(rail, bad.length, bad.length);
    expect(rail.samples().map(readingOf)).toEqual(bad.map(() => good));
    expect(rail.rejected()).toEqual(bad);
  });
});
