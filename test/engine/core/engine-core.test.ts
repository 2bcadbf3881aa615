import { describe, expect, test } from "vitest";
import { EngineCore, type FinishedStep } from "../../../src/engine/core/engine-core.ts";
import { PowerHistory } from "../../../src/engine/power/power-history.ts";
import type { EngineProfile, PowerProfile } from "../../../src/engine/profiles/engine-profile.ts";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";
import type { NewSequence } from "../../../src/engine/schedule/sequence.ts";

const MS = 1e6;

/** Round numbers; all GPUs alike but for their gain, which the tests divide by. */
const power: PowerProfile = {
  ...namedProfiles["tiny"]!.power,
  idleW: 50,
  awakeW: 80,
  awakeMs: 1000,
  decodeW: 200,
  decodePerDoublingW: 40,
  prefillW: 300,
  limitW: 1000,
  rampMs: 0,
  noise: 0,
  thermalDrift: 0,
};

const profile: EngineProfile = {
  ...namedProfiles["tiny"]!,
  kvTokens: 10_000,
  maxRunning: 8,
  stepTokens: 1000,
  stepBaseMs: 10,
  stepPerSequenceMs: 1,
  stepPerKiloContextMs: 0,
  prefillTokensPerS: 10_000,
  gatherMs: 3,
  hasPrefixCache: false,
  draftTokens: 0,
  power,
};

const sequence = (id: number, promptTokens: number, replyTokens: number): NewSequence => ({
  id,
  key: id,
  promptTokens,
  blockHashes: [],
  replyTokens,
});

interface Driven {
  readonly core: EngineCore;
  readonly history: PowerHistory;
  /** Goes on to this time, without being late at anything. */
  runTo(atMs: number): FinishedStep[];
}

function driven(
  changes: Partial<EngineProfile> = {},
  changedPower: Partial<PowerProfile> = {},
): Driven {
  const history = new PowerHistory(1);
  const all = { ...profile, ...changes, power: { ...power, ...changedPower } };
  const core = new EngineCore(all, 1, (atNs, { powerW, isCapped }) =>
    history.append(atNs, powerW, isCapped),
  );
  return {
    core,
    history,
    runTo(atMs) {
      const steps: FinishedStep[] = [];
      for (let next = core.nextNs; next !== undefined && next <= atMs * MS; next = core.nextNs) {
        steps.push(...core.advance(next));
      }
      return steps;
    },
  };
}

/** Each step as `start…end id:tokens`, in ms. */
const shown = (steps: readonly FinishedStep[]): string[] =>
  steps.map(({ startNs, endNs, progress }) => {
    const tokens = progress.map(({ id, tokens, isLast }) => `${id}:${tokens}${isLast ? "!" : ""}`);
    return `${startNs / MS}…${endNs / MS} ${tokens.join(" ")}`.trim();
  });

/** The gain of the one GPU, which its idle power shows. */
const gainOf = (history: PowerHistory): number => history.energyJ(0, 0, 1 * MS, 1 * MS) / 0.05;

describe("an engine on paper", () => {
  test("one request: gathered for 3 ms, prefilled in a step, then a token in each", () => {
    const { core, history, runTo } = driven();
    core.submit(sequence(0, 100, 3), 20 * MS);
    // 10 ms and 100 tokens of 10,000 a second; then 10 ms and 1 for its sequence.
    expect(shown(runTo(100))).toEqual(["23…43 0:1", "43…54 0:1", "54…65 0:1!"]);
    const gain = gainOf(history);
    const joules = (fromMs: number, toMs: number) =>
      history.energyJ(0, fromMs * MS, toMs * MS, 2000 * MS) / gain;
    runTo(2000);
    expect(joules(0, 23)).toBeCloseTo(0.05 * 23, 9);
    // A step that only prefills draws the prefill's power.
    expect(joules(23, 43)).toBeCloseTo(0.3 * 20, 9);
    expect(joules(43, 65)).toBeCloseTo(0.2 * 22, 9);
    expect(joules(65, 1065)).toBeCloseTo(80, 9);
    expect(joules(1065, 2000)).toBeCloseTo(0.05 * 935, 9);
    expect(joules(0, 2000)).toBeCloseTo(1.15 + 6 + 4.4 + 80 + 46.75, 9);
  });

  test("two requests: the second joins with the next step, and its prefill shares that", () => {
    const { core, history, runTo } = driven();
    core.submit(sequence(0, 100, 4), 0);
    const before = runTo(25);
    core.submit(sequence(1, 90, 2), 25 * MS);
    expect(shown([...before, ...runTo(200)])).toEqual([
      "3…23 0:1",
      "23…34 0:1",
      // 10 ms, 1 for the one that decodes, 9 for 90 tokens.
      "34…54 0:1 1:1",
      "54…66 0:1! 1:1!",
    ]);
    const gain = gainOf(history);
    const mixedW = 200 * (1 - 9 / 20) + 300 * (9 / 20);
    const joules = history.energyJ(0, 34 * MS, 66 * MS, 200 * MS) / gain;
    expect(joules).toBeCloseTo((mixedW * 20 + 240 * 12) / 1000, 9);
  });

  test("requests that come while it gathers begin together; later ones wait for the step's end", () => {
    const { core, runTo } = driven();
    core.submit(sequence(0, 10, 1), 0);
    core.submit(sequence(1, 10, 1), 2 * MS);
    runTo(3);
    core.submit(sequence(2, 10, 1), 3.1 * MS);
    expect(shown(runTo(100))).toEqual(["3…15 0:1! 1:1!", "15…26 2:1!"]);
  });

  test("a client that goes in mid-step costs that step, and nothing after it", () => {
    const { core, history, runTo } = driven();
    core.submit(sequence(0, 100, 50), 0);
    runTo(25);
    expect(core.remove(0)).toBe(true);
    expect(core.remove(0)).toBe(false);
    expect(shown(runTo(500))).toEqual(["23…34"]);
    expect(core.counts()).toMatchObject({ running: 0, waiting: 0, kvTokens: 0 });
    const gain = gainOf(history);
    expect(history.energyJ(0, 34 * MS, 44 * MS, 500 * MS) / gain).toBeCloseTo(0.8, 9);
  });

  test("one that goes while it is gathered costs nothing, and the next is gathered anew", () => {
    const { core, runTo } = driven();
    core.submit(sequence(0, 100, 50), 0);
    core.remove(0);
    expect(shown(runTo(50))).toEqual([]);
    core.submit(sequence(1, 10, 1), 60 * MS);
    expect(shown(runTo(100))).toEqual(["63…74 1:1!"]);
  });

  test("the ramp cuts a long step into stairs that come to the joules of its curve", () => {
    const { core, history, runTo } = driven({ prefillTokensPerS: 1000 }, { rampMs: 40 });
    core.submit(sequence(0, 990, 1), 0);
    expect(shown(runTo(1100))).toEqual(["3…1003 0:1!"]);
    const segments = history.segments(3 * MS, 1003 * MS, 1100 * MS);
    expect(segments).toHaveLength(25);
    const gain = gainOf(history);
    // From 50 W to 300 W with a time constant of 40 ms, for a second.
    const curveJ = 300 - 250 * 0.04 * (1 - Math.exp(-25));
    const stairsJ = history.energyJ(0, 3 * MS, 1003 * MS, 1100 * MS) / gain;
    expect(Math.abs(stairsJ / curveJ - 1)).toBeLessThan(0.002);
  });

  test("a limit stretches the steps by the cube root of what is over it", () => {
    const { core, history, runTo } = driven({}, { limitW: 100 });
    core.submit(sequence(0, 100, 2), 0);
    const [first, second] = runTo(200);
    const gain = gainOf(history);
    expect(first!.endNs - first!.startNs).toBe(Math.round(20 * MS * Math.cbrt((300 * gain) / 100)));
    expect(second!.endNs - second!.startNs).toBe(
      Math.round(11 * MS * Math.cbrt((200 * gain) / 100)),
    );
    const energyJ = history.energyJ(0, first!.startNs, second!.endNs, 200 * MS);
    expect(energyJ).toBeCloseTo((second!.endNs - first!.startNs) / 1e9 / 0.01, 9);
  });
});

describe("a host that is late", () => {
  test("by less than a step does not change the schedule", () => {
    const { core } = driven();
    core.submit(sequence(0, 100, 4), 0);
    const steps = [30, 50, 900].flatMap((atMs) => core.advance(atMs * MS));
    expect(shown(steps)).toEqual(["3…23 0:1", "23…34 0:1", "34…45 0:1", "45…56 0:1!"]);
    // After the last one nothing had to wait.
    expect(core.steps).toEqual({ done: 4, slips: 0 });
  });

  test("by more holds the GPUs up, which wait awake and are told of", () => {
    const { core, history } = driven();
    core.submit(sequence(0, 100, 3), 0);
    core.advance(3 * MS);
    expect(shown(core.advance(100 * MS))).toEqual(["3…23 0:1"]);
    expect(shown(core.advance(112 * MS))).toEqual(["100…111 0:1"]);
    expect(core.steps).toEqual({ done: 2, slips: 1 });
    const gain = gainOf(history);
    expect(history.energyJ(0, 23 * MS, 100 * MS, 100 * MS) / gain).toBeCloseTo(0.08 * 77, 9);
  });
});
