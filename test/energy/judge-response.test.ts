import { describe, expect, test } from "vitest";
import { idleLevel, judgeResponse } from "../../src/energy/judge-response.ts";
import type { Sensor } from "../../src/energy/sensor.ts";
import { every, readings } from "./samples.ts";

const average: Sensor = { averagingMs: 1000, updateMs: 100, kind: "average" };

/** Readings every 260 ms around a power, that stray by up to 0.3 W. */
const around = (powerW: number, toMs = 5200) =>
  every(260, 0, toMs, (atMs) => powerW + (((atMs * 7) % 13) - 6) / 20);

const level = idleLevel(around(60, 2080))!;

const responseOf = (samples: ReturnType<typeof around>, windowMs = 5200) =>
  judgeResponse(samples, windowMs, level, average);

describe("judgeResponse", () => {
  test("watts that stay at the idle level stand still", () => {
    expect(responseOf(around(60))).toBe("still");
  });

  test("watts below the idle level stand still too: load does not lower them", () => {
    expect(responseOf(around(58))).toBe("still");
  });

  test("the small load of a single stream moves them", () => {
    expect(responseOf(around(62))).toBe("moved");
  });

  test("one short burst in a long window moves them", () => {
    const burst = around(60).map((sample, i) => (i === 7 ? { ...sample, powerW: 64 } : sample));
    expect(responseOf(burst)).toBe("moved");
  });

  test("a mean that creeps up moves them, though no reading stands out", () => {
    const loud = idleLevel(readings([0, 58], [1, 62], [2, 58], [3, 62]))!;
    const higher = every(260, 0, 26_000, () => 60 + 3.5 * loud.spreadW);
    expect(judgeResponse(higher, 26_000, loud, average)).toBe("moved");
    // The highest of a hundred readings may lie that far off by chance alone.
    const stray = higher.map((sample, i) => ({ ...sample, powerW: i === 50 ? sample.powerW : 60 }));
    expect(judgeResponse(stray, 26_000, loud, average)).toBe("still");
  });

  test("of a large idle power, half a per cent is no rise", () => {
    const large = { meanW: 600, spreadW: 0 };
    expect(judgeResponse(around(602), 5200, large, average)).toBe("still");
    expect(judgeResponse(around(604), 5200, large, average)).toBe("moved");
  });

  test("a window too short for the sensor to show load is not judged, but a rise in it counts", () => {
    expect(responseOf(around(60, 1820), 1900)).toBe("unknown");
    expect(responseOf(around(60, 2080), 2000)).toBe("still");
    expect(responseOf(around(80, 1820), 1900)).toBe("moved");
    expect(responseOf(around(60, 520), 2000)).toBe("unknown");
    expect(responseOf([], 5200)).toBe("unknown");
  });

  test("a baseline of three readings has no level", () => {
    expect(idleLevel(readings([0, 60], [250, 60], [500, 60]))).toBeUndefined();
    expect(idleLevel(readings([0, 59], [1, 61], [2, 59], [3, 61]))).toMatchObject({ meanW: 60 });
  });
});
