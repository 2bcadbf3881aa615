import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type {
  Playback,
  Scenario,
  ScenarioDevice,
} from "../../../src/engine/nvidia-smi/scenario.ts";
import { ask, capture, endsWithin, gpu, loopOver, query, startLoop } from "./child.ts";

const AVERAGE = "power.draw.average";
const CAP = "clocks_event_reasons.sw_power_cap";
const BRAKE = "clocks_event_reasons.hw_power_brake_slowdown";
const RAIL_COLUMNS = [AVERAGE, CAP, BRAKE];

function playing(
  name: string,
  more: Partial<Playback> = {},
  devices: ScenarioDevice[] = [gpu(0, { name: "GPU", power: { kind: "constant", powerW: 0 } })],
): Scenario {
  return { devices, playback: { file: capture(name), intervalMs: 5, ...more } };
}

const refused = (field: string) => ({
  stdout: `Field "${field}" is not a valid field to query.\n\n`,
  stderr: "",
  exitCode: 2,
});

describe("captures with a header", () => {
  test("RTX 3090: all 64 rows, the columns asked in the order asked", async () => {
    const scenario = playing("rtx3090-driver535-step-250ms.csv");
    const loop = await loopOver(scenario, `${AVERAGE},index,power.draw.instant,timestamp`);
    const lines = await loop.lines(64);
    expect(lines[0]).toBe("126.97, 0, 126.89, 2023/07/08 19:27:36.359");
    expect(lines[3]).toBe("127.12, 0, 126.88, 2023/07/08 19:27:37.118");
    expect(lines).toHaveLength(64);
    expect(await endsWithin(loop, 100)).toBe(false);
    expect(loop.text().split("\n")).toHaveLength(65);
  });

  test("RTX 3090: a field that was not captured is refused, as by a driver without it", async () => {
    const scenario = playing("rtx3090-driver535-step-250ms.csv");
    expect(await query(scenario, `${AVERAGE},${CAP}`)).toEqual(refused(CAP));
  });

  test("a field that the devices' cells have is no unknown one", async () => {
    const devices = [gpu(0, { cells: { [CAP]: "Active" } })];
    const scenario = playing("rtx3090-driver535-step-250ms.csv", {}, devices);
    expect((await query(scenario, `${AVERAGE},${CAP}`)).stdout).toBe("126.97, Active\n");
  });

  test("cells that were captured without a unit get one when it is asked for", async () => {
    const scenario = playing("rtx3090-driver535-step-250ms.csv");
    const { stdout } = await ask(scenario, `--query-gpu=${AVERAGE},pstate`, "--format=csv");
    expect(stdout).toBe(`${AVERAGE} [W], pstate\n126.97 W, P0\n`);
  });

  test("A100: `.average` is refused, `power.draw` answers", async () => {
    const scenario = playing("a100-no-average-step-250ms.csv");
    expect(await query(scenario, AVERAGE)).toEqual(refused(AVERAGE));
    expect((await query(scenario, "power.draw.instant,index")).stdout).toBe("56.38, 0\n");
  });

  test("H200: units go with nounits, tokens stay, old flag names answer", async () => {
    const scenario = playing("h200-driver590-wide-withunits.csv");
    const fields = `${AVERAGE},clocks_throttle_reasons.sw_power_cap,${BRAKE},index,uuid,mig.mode.current,power.management,clocks_event_reasons_counters.sw_power_cap`;
    const tail =
      "Not Active, Not Active, 0, GPU-0, Disabled, [Requested functionality has been deprecated]";
    const lines = await (await loopOver(scenario, fields)).lines(2);
    expect(lines).toEqual([`77.71, ${tail}, 0`, `627.40, ${tail}, 0`]);
  });

  test("a cell of the scenario goes before the captured one", async () => {
    const devices = [gpu(0, { cells: { [AVERAGE]: "[N/A]" } })];
    const scenario = playing("h200-driver590-wide-withunits.csv", {}, devices);
    expect((await query(scenario, `${AVERAGE},power.draw`)).stdout).toBe("[N/A], 77.71\n");
  });

  test("a driver that refuses a captured field", async () => {
    const scenario = { ...playing("h200-driver590-wide-withunits.csv"), refusedFields: [AVERAGE] };
    expect(await query(scenario, AVERAGE)).toEqual(refused(AVERAGE));
  });

  test("it may start over", async () => {
    const scenario = playing("h200-driver590-wide-withunits.csv", { loop: true });
    const lines = await (await loopOver(scenario, AVERAGE)).lines(4);
    expect(lines.slice(0, 4)).toEqual(["77.71", "627.40", "77.71", "627.40"]);
  });
});

describe("several GPUs", () => {
  const busIds = ["00000008:01:00.0", "00000009:01:00.0", "00000018:01:00.0", "00000019:01:00.0"];
  const gb200 = busIds.map((id, i) => gpu(i, { cells: { "pci.bus_id": id } }));

  test("GB200: rows belong to devices by bus id", async () => {
    const name = "gb200-driver570-l1-withheader.csv";
    const scenario = playing(name, { rowsPerTick: 4, skipRows: 1 }, gb200);
    const { stdout } = await query(scenario, `power.draw,${CAP},index,uuid`);
    expect(stdout).toBe(
      "523.85, Not Active, 0, GPU-0\n481.50, Not Active, 1, GPU-1\n" +
        "486.49, Not Active, 2, GPU-2\n517.58, Not Active, 3, GPU-3\n",
    );
    expect((await query(scenario, "power.draw", "-i", "GPU-2")).stdout).toBe("486.49\n");
    expect(await query(scenario, AVERAGE)).toEqual(refused(AVERAGE));
  });

  test("a bus id that is no device's is an error of the scenario", async () => {
    const scenario = playing("gb200-driver570-l1-withheader.csv", {}, [gpu(0)]);
    const answer = await query(scenario, "power.draw");
    expect(answer).toMatchObject({ stdout: "", exitCode: 2 });
    expect(answer.stderr).toContain("no device of the scenario is that of");
  });

  test("rows without any id belong to devices by their order", async () => {
    const name = "gb200-rail-4gpu-tick-noheader.csv";
    const columns = ["power.draw", CAP, BRAKE];
    const scenario = playing(name, { columns, rowsPerTick: 4 }, gb200);
    expect((await query(scenario, "index,power.draw")).stdout).toBe(
      "0, 523.85\n1, 481.50\n2, 486.49\n3, 517.58\n",
    );
    expect((await query(scenario, "index,power.draw", "-i", "3,1")).stdout).toBe(
      "1, 481.50\n3, 517.58\n",
    );
  });

  test("a GPU without a sensor keeps its row", async () => {
    const columns = ["index", ...RAIL_COLUMNS];
    const name = "stream-mixed-two-gpus-one-na.csv";
    const scenario = playing(name, { columns, rowsPerTick: 2 }, [gpu(0), gpu(1)]);
    const lines = await (await loopOver(scenario, `${AVERAGE},index`)).lines(4);
    expect(lines).toEqual(["80.50, 0", "[N/A], 1", "81.12, 0", "[N/A], 1"]);
  });
});

describe("damaged captures", () => {
  test("CRLF is played as CRLF", async () => {
    const name = "rtx2080s-windows-driver591-rail-average-na-crlf.csv";
    const loop = await loopOver(
      playing(name, { columns: RAIL_COLUMNS }),
      `${AVERAGE},${BRAKE},index`,
    );
    await loop.lines(2);
    expect(loop.text()).toBe("[N/A], Not Active, 0\r\n[N/A], Not Active, 0\r\n");
  });

  test("blank lines stay, repeated headers become the header of what was asked", async () => {
    const scenario = playing("stream-header-repeated-blank-lines.csv");
    const loop = await loopOver(scenario, `index,${AVERAGE}`);
    expect(await loop.lines(5)).toEqual(["0, 84.24", "", `index, ${AVERAGE} [W]`, "0, 86.10", ""]);
  });

  test("a row with a wrong number of cells is printed as it was", async () => {
    const columns = ["timestamp", "index", "power.draw", "temperature.gpu"];
    const scenario = playing("stream-concatenated-row.csv", { columns });
    const loop = await loopOver(scenario, "index,power.draw");
    expect(await loop.lines(2)).toEqual([
      "0, 627.40",
      "2026/07/03 22:11:10.763, 0, 62026/07/03 22:11:11.101, 0, 118.22 W, 40",
    ]);
  });

  test("raw: the bytes of a torn stream, then silence; one-shot queries are answered", async () => {
    const name = "stream-truncated-tail.csv";
    const scenario = playing(name, { raw: true }, [gpu(0)]);
    const loop = await loopOver(scenario, RAIL_COLUMNS.join(","));
    const whole = readFileSync(capture(name), "latin1");
    while (loop.text().length < whole.length) expect(await endsWithin(loop, 20)).toBe(false);
    expect(await endsWithin(loop, 100)).toBe(false);
    expect(loop.text()).toBe(whole);
    expect((await query(scenario, "index,power.draw")).stdout).toBe("0, 100.00\n");
  });

  test("columns that fit no row, and a file that is not there, are errors of the scenario", async () => {
    const unfit = await query(
      playing("legacy-not-supported.csv", { columns: ["a", "b"] }),
      "index",
    );
    expect(unfit).toMatchObject({ stdout: "", exitCode: 2 });
    expect(unfit.stderr).toContain("no row has 2 cells (a, b)");
    const missing = await query(playing("not-there.csv"), "index");
    expect(missing.stderr).toContain("cannot play");
  });
});

test("the header of a played file is printed once, when one is asked for", async () => {
  const scenario = playing("h200-driver590-wide-withunits.csv");
  const loop = await startLoop(scenario, `--query-gpu=${AVERAGE}`, "--format=csv", "-lms", "5");
  expect(await loop.lines(3)).toEqual([`${AVERAGE} [W]`, "77.71 W", "627.40 W"]);
});
