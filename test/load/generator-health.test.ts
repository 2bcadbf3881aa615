import { describe, expect, test } from "vitest";
import {
  judgeGenerator,
  threadHealth,
  type UnjudgedHealth,
} from "../../src/load/generator-health.ts";

const calm: UnjudgedHealth = {
  windowS: 10,
  threads: [{ cpuShare: 0.3, runQueueWaitShare: 0.02, loopBusyShare: 0.3, loopLagP99Ms: 1 }],
  sendLagMs: { n: 100, p50: 0.1, p99: 1, max: 2 },
  sharedReadShare: 0.01,
};

describe("judgeGenerator", () => {
  test("a calm generator is not what was measured", () => {
    expect(judgeGenerator(calm)).toMatchObject({ isSaturated: false, why: [] });
  });

  test.each<[string, Partial<UnjudgedHealth>, RegExp]>([
    ["a busy loop", { threads: [{ loopBusyShare: 0.95 }] }, /thread 0 was busy for 95 %/],
    [
      "a late loop",
      { threads: [{ loopBusyShare: 0.1 }, { loopBusyShare: 0.1, loopLagP99Ms: 40 }] },
      /thread 1 was 40\.0 ms late/,
    ],
    [
      "a wait for a core",
      { threads: [{ loopBusyShare: 0.1, runQueueWaitShare: 0.4 }] },
      /waited for a core for 40 %/,
    ],
    ["late sends", { sendLagMs: { n: 100, p99: 300 } }, /sent 300\.0 ms late/],
    [
      "events read in lumps by a busy client",
      { sharedReadShare: 0.8, threads: [{ loopBusyShare: 0.6 }] },
      /80 % of the token events/,
    ],
  ])("%s could have moved the result, and is named", (_what, part, why) => {
    const judged = judgeGenerator({ ...calm, ...part });
    expect(judged.isSaturated).toBe(true);
    expect(judged.why.join()).toMatch(why);
  });

  test("lumps that come to an idle client are the server's", () => {
    expect(judgeGenerator({ ...calm, sharedReadShare: 1 }).isSaturated).toBe(false);
  });
});

describe("threadHealth", () => {
  test("is what changed between two moments, as shares of the time between", () => {
    const before = { atMs: 1000, cpuMs: 50, runQueueWaitMs: 5, loopBusyMs: 60, loopLagsMs: [900] };
    const after = {
      atMs: 3000,
      cpuMs: 550,
      runQueueWaitMs: 105,
      loopBusyMs: 1060,
      loopLagsMs: [0, 4, 2],
    };
    expect(threadHealth(before, after)).toEqual({
      cpuShare: 0.25,
      runQueueWaitShare: 0.05,
      loopBusyShare: 0.5,
      loopLagP99Ms: 4,
      loopLagMaxMs: 4,
    });
  });

  test("what procfs does not tell is absent, not 0", () => {
    const usage = { atMs: 0, loopBusyMs: 0, loopLagsMs: [] };
    expect(threadHealth(usage, { ...usage, atMs: 10 })).toEqual({ loopBusyShare: 0 });
  });
});
