import { describe, expect, test } from "vitest";
import { type RailLine, RailReplay } from "../../src/records/rail-replay.ts";
import { FACTS, readings } from "./support/small-run.ts";

type Line = Exclude<RailLine, { kind: "segment" }>;

const facts: Line = { kind: "facts", facts: FACTS };
const lines = readings(3000) as Line[];

describe("a rail that is read again", () => {
  test("is as it was after each of its lines", () => {
    const replay = new RailReplay();
    expect(replay.sampler).toBeUndefined();
    for (const line of [facts, ...lines.slice(0, 13)]) expect(replay.accept(line)).toBeUndefined();
    expect(replay.lines).toBe(14);
    expect(replay.sampler!.judge(1000, 1500)).toMatchObject({
      reasons: [{ reason: "rail_not_bracketed" }],
    });
    for (const line of lines.slice(13)) replay.accept(line);
    expect(replay.sampler!.judge(1000, 1500)).toMatchObject({ energyJ: 150, reasons: [] });
  });

  test("multiplies the readings, which stand as they were read, with the gain of the facts", () => {
    const [device] = FACTS.devices;
    const replay = new RailReplay();
    replay.accept({ kind: "facts", facts: { ...FACTS, devices: [{ ...device!, gain: 1.5 }] } });
    for (const line of lines) replay.accept(line);
    expect(replay.sampler!.judge(1000, 1500)).toMatchObject({ energyJ: 225 });
  });

  test("says nothing of readings before it is known what they are of", () => {
    const replay = new RailReplay();
    for (const line of lines) replay.accept(line);
    expect(replay.sampler).toBeUndefined();
    replay.accept(facts);
    expect(replay.sampler!.judge(1000, 1500)).toMatchObject({ state: "refused" });
  });

  test("counts a line that could not be read, and is none the wiser for it", () => {
    const replay = new RailReplay();
    for (const line of [undefined, facts, undefined, ...lines]) replay.accept(line);
    expect(replay.lines).toBe(3 + lines.length);
    expect(replay.sampler!.judge(1000, 1500)).toMatchObject({ energyJ: 150 });
  });

  test("leaves out readings that go back in time, on each device by itself", () => {
    const read = (atMs: number, device: string): Line => ({
      kind: "read",
      atMs,
      samples: [{ atMs, powerW: 1, device }],
      rejected: [],
    });
    const replay = new RailReplay();
    replay.accept(facts);
    expect(replay.accept(read(10, "GPU-a"))).toBeUndefined();
    expect(replay.accept(read(5, "GPU-b"))).toBeUndefined();
    expect(replay.accept(read(10, "GPU-a"))).toBeUndefined();
    expect(replay.accept(read(9, "GPU-a"))).toBe("its readings go back in time");
    expect(replay.accept(read(6, "GPU-b"))).toBeUndefined();
  });

  test("tells what reading it cost only where it was stopped in order", () => {
    const replay = new RailReplay();
    replay.accept(facts);
    expect(replay.cost).toBeUndefined();
    const cost = { wallS: 1, samples: 3, rejectedLines: 0 };
    replay.accept({ kind: "stopped", atMs: 9, cost });
    expect(replay.cost).toEqual(cost);
  });

  test("still has the first readings after more than an hour", () => {
    const replay = new RailReplay();
    for (const line of [facts, ...lines]) replay.accept(line);
    for (let i = 0; i < 60_000; i++) {
      const atMs = 3100 + i * 100;
      replay.accept({
        kind: "read",
        atMs,
        samples: [{ atMs, powerW: 300, device: "GPU-a" }],
        rejected: [],
      });
    }
    expect(replay.sampler!.judge(1000, 1500)).toMatchObject({ energyJ: 150 });
  });
});
