import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nowMs } from "../../../src/clock.ts";
import { EngineTruth } from "../../../src/engine/engine-truth.ts";
import { JoulemarkError } from "../../../src/errors.ts";
import { complete, serveEngine } from "../server/support/serve-engine.ts";

async function energyNs(url: string, startNs: bigint, endNs: bigint) {
  const response = await fetch(`${url}/truth/energy?start_ns=${startNs}&end_ns=${endNs}`);
  expect(response.status).toBe(200);
  return (await response.json()) as {
    servingJ: number;
    devices: { index: number; serves: boolean; energyJ: number }[];
  };
}

describe("the truth of a real run", () => {
  test("adds up to 1e-9 over adjacent intervals, for each GPU, wherever they are cut", async () => {
    const server = await serveEngine({
      set: { "power.gpuCount": 2, "power.noise": 0.1, "power.thermalDrift": 0.05 },
      rail: {
        boxGpuCount: 3,
        tenants: [
          { index: 2, pid: 1, load: { kind: "constant", powerW: 33 } },
          {
            index: 0,
            pid: 1,
            load: { kind: "square", lowW: 1, highW: 77, periodMs: 130, highMs: 61 },
          },
        ],
      },
    });
    const { url } = server;
    const startNs = process.hrtime.bigint();
    const asked = { prompt: "go", max_tokens: 40, ignore_eos: true };
    await Promise.all([complete(server, asked), complete(server, { ...asked, n: 3 })]);
    const lengthNs = Number(process.hrtime.bigint() - startNs);
    const whole = await energyNs(url, startNs, startNs + BigInt(lengthNs));
    expect(whole.servingJ).toBeGreaterThan(1);
    expect(whole.devices.map(({ serves }) => serves)).toEqual([true, true, false]);
    const cuts = fc.array(fc.integer({ min: 0, max: lengthNs }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cuts, async (unsorted) => {
        const edges = [0, ...unsorted.toSorted((a, b) => a - b), lengthNs];
        const parts = await Promise.all(
          edges
            .slice(1)
            .map((end, i) => energyNs(url, startNs + BigInt(edges[i]!), startNs + BigInt(end))),
        );
        const sum = (read: (part: (typeof parts)[number]) => number): number =>
          parts.reduce((total, part) => total + read(part), 0);
        expect(Math.abs(sum(({ servingJ }) => servingJ) - whole.servingJ)).toBeLessThan(1e-9);
        for (const [i, { energyJ }] of whole.devices.entries()) {
          expect(Math.abs(sum(({ devices }) => devices[i]!.energyJ) - energyJ)).toBeLessThan(1e-9);
        }
      }),
      { numRuns: 60 },
    );
  });

  test("is the area under the watts that it tells, and has the tokens that were sent", async () => {
    const { url } = await serveEngine();
    const startNs = process.hrtime.bigint();
    const answer = await fetch(`${url}/v1/completions`, {
      method: "POST",
      body: JSON.stringify({ prompt: "a", max_tokens: 30, ignore_eos: true, stream: true }),
    });
    const sentNs = [...(await answer.text()).matchAll(/"sent_ns":"(\d+)"/g)].map(([, ns]) => ns);
    const endNs = process.hrtime.bigint();
    const query = `start_ns=${startNs}&end_ns=${endNs}`;
    const { servingJ } = await energyNs(url, startNs, endNs);
    const power = (await (await fetch(`${url}/truth/power?${query}`)).json()) as {
      segments: { startNs: string; endNs: string; powerW: number[] }[];
    };
    const areaJ = power.segments.reduce((sum, { startNs, endNs, powerW }) => {
      return sum + (powerW[0]! * Number(BigInt(endNs) - BigInt(startNs))) / 1e9;
    }, 0);
    expect(Math.abs(areaJ - servingJ)).toBeLessThan(1e-9);
    const tokens = await (await fetch(`${url}/truth/tokens?${query}`)).json();
    expect(tokens).toMatchObject({ events: 30, tokens: 30 });
    const replies = (await (await fetch(`${url}/truth/replies`)).json()) as {
      replies: { sentNs: string[]; dueNs: string[] }[];
    };
    expect(replies.replies[0]!.sentNs).toEqual(sentNs);
    for (const [i, dueNs] of replies.replies[0]!.dueNs.entries()) {
      expect(BigInt(sentNs[i]!)).toBeGreaterThanOrEqual(BigInt(dueNs));
    }
  });

  test("of power: names the GPU of each column, and its area is the energy of each, own and other", async () => {
    const wave = { kind: "square", lowW: 7, highW: 77, periodMs: 13, highMs: 4.5 } as const;
    const other = { kind: "square", lowW: 0, highW: 50, periodMs: 21.7, highMs: 21.7 } as const;
    const server = await serveEngine({
      set: { "power.gpuCount": 2, "power.noise": 0.1, "power.limitW": 150 },
      rail: {
        boxGpuCount: 4,
        firstIndex: 1,
        tenants: [
          { index: 0, pid: 1, load: { kind: "constant", powerW: 33 } },
          { index: 2, pid: 2, load: wave },
          { index: 2, pid: 3, load: other },
        ],
      },
    });
    const startNs = process.hrtime.bigint();
    await complete(server, { prompt: "go", max_tokens: 40, ignore_eos: true });
    const endNs = process.hrtime.bigint();
    const query = `start_ns=${startNs}&end_ns=${endNs}`;
    const { devices, segments } = (await (
      await fetch(`${server.url}/truth/power?${query}`)
    ).json()) as {
      devices: object[];
      segments: {
        startNs: string;
        endNs: string;
        powerW: number[];
        ownW: number[];
        isCapped: boolean;
      }[];
    };
    expect(devices).toEqual(server.devices);
    expect([segments[0]!.startNs, segments.at(-1)!.endNs]).toEqual([`${startNs}`, `${endNs}`]);
    for (const [i, segment] of segments.slice(1).entries()) {
      expect(segment.startNs).toBe(segments[i]!.endNs);
      expect(BigInt(segment.endNs)).toBeGreaterThan(BigInt(segment.startNs));
    }
    const areaJ = (watts: (segment: (typeof segments)[number]) => number): number =>
      segments.reduce((sum, segment) => {
        const lengthNs = Number(BigInt(segment.endNs) - BigInt(segment.startNs));
        return sum + (watts(segment) * lengthNs) / 1e9;
      }, 0);
    const truth = await energyNs(server.url, startNs, endNs);
    for (const [i, { energyJ, serves }] of truth.devices.entries()) {
      expect(Math.abs(areaJ(({ powerW }) => powerW[i]!) / energyJ - 1)).toBeLessThan(1e-9);
      expect(areaJ(({ ownW }) => ownW[i]!) > 0).toBe(serves);
    }
    const ownJ = areaJ(({ ownW }) => ownW.reduce((sum, watts) => sum + watts));
    expect(Math.abs(ownJ / truth.servingJ - 1)).toBeLessThan(1e-9);
    const wavesW = new Set(segments.map(({ powerW, ownW }) => Math.round(powerW[2]! - ownW[2]!)));
    expect(wavesW).toEqual(new Set([57, 127]));
    expect(segments.some(({ isCapped }) => isCapped)).toBe(true);
  });

  test("of power is refused for more segments than one answer holds", async () => {
    const wave = { kind: "square", lowW: 0, highW: 1, periodMs: 1e-3, highMs: 5e-4 } as const;
    const tenants = [{ index: 0, pid: 1, load: wave }];
    const { url, originNs } = await serveEngine({ rail: { tenants } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const query = `start_ns=${originNs}&end_ns=${process.hrtime.bigint()}`;
    const response = await fetch(`${url}/truth/power?${query}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain("ask for a shorter one");
  });

  test("of a GPU that nobody uses, or another program, is worked out from its load", async () => {
    const { url, devices } = await serveEngine({
      rail: {
        boxGpuCount: 2,
        firstIndex: 1,
        tenants: [{ index: 0, pid: 1, load: { kind: "constant", powerW: 40 } }],
      },
    });
    expect(devices.map(({ serves }) => serves)).toEqual([false, true]);
    const startNs = process.hrtime.bigint();
    const endNs = startNs - 1_000_000n;
    const { servingJ, devices: both } = await energyNs(url, endNs, startNs);
    expect(both[0]!.energyJ).toBeCloseTo(0.1, 9);
    expect(both[1]!.energyJ).toBe(servingJ);
  });
});

describe("a question about the truth", () => {
  test("is not answered where it was not asked for at the start", async () => {
    const { url } = await serveEngine({ truth: false });
    expect((await fetch(`${url}/truth/energy?start_ns=1&end_ns=2`)).status).toBe(404);
    const text = await (
      await fetch(`${url}/v1/completions`, {
        method: "POST",
        body: JSON.stringify({ prompt: "a", max_tokens: 3, stream: true }),
      })
    ).text();
    expect(text).not.toContain("sent_ns");
  });

  test.each([
    ["no interval", "", "start_ns"],
    ["half of one", "start_ns=1", "end_ns"],
    ["a time that is none", "start_ns=1&end_ns=soon", "end_ns"],
    ["a time before the engine", "start_ns=1&end_ns=2", null],
    ["a misspelt one", "start_ns=1&end_ns=2&end=3", "end"],
    ["a time in the future", "start_ns=1&end_ns=9999999999999999999", null],
  ])("with %s is refused", async (_what, query, param) => {
    const { url } = await serveEngine();
    for (const path of ["energy", "power"]) {
      const response = await fetch(`${url}/truth/${path}?${query}`);
      expect(response.status).toBe(400);
      expect(((await response.json()) as { error: { param: unknown } }).error.param).toBe(param);
    }
  });

  test("of a library's user is a bad option when it cannot be answered", async () => {
    const { url } = await serveEngine();
    const truth = new EngineTruth(url);
    await expect(truth.energy(nowMs() + 1e6, nowMs() + 2e6)).rejects.toThrow(JoulemarkError);
    const startMs = nowMs();
    const asked = truth.energy(startMs, startMs - 1);
    await expect(asked).rejects.toThrow(`from ${startMs} to ${startMs - 1} ms is not wholly known`);
  });

  test("of a library's user is told on that user's clock what is known", async () => {
    const beforeMs = nowMs();
    const { url } = await serveEngine();
    const afterMs = nowMs();
    const truth = new EngineTruth(url);
    for (const what of ["energy", "tokens"] as const) {
      const message = await truth[what](beforeMs, afterMs).catch((error: Error) => error.message);
      const [, fromMs, untilMs] = /known is from (\S+) to (\S+) ms \(now\)/.exec(String(message))!;
      expect(Number(fromMs)).toBeGreaterThanOrEqual(beforeMs);
      expect(Number(fromMs)).toBeLessThanOrEqual(afterMs);
      expect(Number(untilMs)).toBeGreaterThanOrEqual(afterMs);
      expect(Number(untilMs)).toBeLessThanOrEqual(nowMs());
      // And what is known can be asked.
      await truth[what](Number(fromMs) + 0.001, Number(untilMs) - 0.001);
    }
  });

  test("over HTTP is told on the machine's clock what is known", async () => {
    const { url, originNs } = await serveEngine();
    const endNs = process.hrtime.bigint();
    for (const [query, problem] of [
      [`start_ns=${originNs - 5n}&end_ns=${endNs}`, "begins before the engine"],
      [`start_ns=${endNs}&end_ns=${endNs + 9_000_000_000_000n}`, "ends in the future"],
      [`start_ns=${endNs}&end_ns=${endNs - 1n}`, "ends before it begins"],
    ] as const) {
      for (const path of ["energy", "power", "tokens"]) {
        const response = await fetch(`${url}/truth/${path}?${query}`);
        expect(response.status).toBe(400);
        const { error } = (await response.json()) as {
          error: { message: string; code: string; known: { start_ns: string; end_ns: string } };
        };
        expect(error.message).toContain(problem);
        expect(error.message).toContain(`${originNs} to ${error.known.end_ns} (now) is known`);
        expect(error.code).toBe("interval_not_known");
        expect(error.known.start_ns).toBe(String(originNs));
      }
    }
  });

  test.each([
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["a text", "soon"],
    ["nothing", undefined],
    ["a time before the clock's zero", -1e15],
    ["a time that no clock will show", 1e300],
  ])("with %s is a bad option that names the value", async (_what, time) => {
    const { url } = await serveEngine();
    const truth = new EngineTruth(url);
    for (const asked of [
      () => truth.energy(time as number, nowMs()),
      () => truth.tokens(0, time as number),
    ]) {
      const error: unknown = await asked().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(JoulemarkError);
      expect(error).toMatchObject({ code: "bad_option" });
      expect((error as Error).message).toContain(
        typeof time === "string" ? `"${time}"` : String(time),
      );
    }
  });

  test("when the engine has ended says so", async () => {
    const server = await serveEngine();
    const truth = new EngineTruth(server.url);
    await server.close();
    for (const asked of [truth.energy(0, 1), truth.tokens(0, 1), truth.replies()]) {
      await expect(asked).rejects.toMatchObject({
        name: "JoulemarkError",
        code: "stopped",
        message: expect.stringContaining("has ended"),
      });
    }
  });

  test("is answered to a library's user with what its type says, and nothing else", async () => {
    const { url } = await serveEngine();
    const truth = new EngineTruth(url);
    const atMs = nowMs();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const energy = await truth.energy(atMs, atMs + 1);
    expect(Object.keys(energy)).toEqual(["servingJ", "devices"]);
    expect(await truth.tokens(atMs, atMs + 1)).toEqual({ events: 0, tokens: 0 });
  });

  test("gets the replies page by page, in the order of their arrival", async () => {
    const server = await serveEngine({ set: { stepBaseMs: 0.1, gatherMs: 0 } });
    for (let i = 0; i < 7; i++) await complete(server, { prompt: "a", max_tokens: 1 });
    const page = await (await fetch(`${server.url}/truth/replies?from=2&limit=3`)).json();
    expect(page).toMatchObject({ replies: [{ id: 2 }, { id: 3 }, { id: 4 }] });
    for (const name of ["form", "start_ns"]) {
      const misspelt = await fetch(`${server.url}/truth/replies?${name}=2`);
      expect([misspelt.status, await misspelt.json()]).toMatchObject([
        400,
        { error: { param: name } },
      ]);
    }
    const all = await new EngineTruth(server.url).replies();
    expect(all.map(({ replyId }) => replyId)).toEqual(
      Array.from({ length: 7 }, (_, i) => `cmpl-sim-1-${i}`),
    );
  });
});
