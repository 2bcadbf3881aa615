import fc from "fast-check";
import { expect, test } from "vitest";
import { EngineCore } from "../../../src/engine/core/engine-core.ts";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";

/** What happens to an engine from outside, at times in ns. */
interface Event {
  readonly afterNs: number;
  readonly promptTokens: number;
  readonly replyTokens: number;
  /** Which of those before it leaves. */
  readonly leaves: number | undefined;
}

const events = fc.array(
  fc.record({
    afterNs: fc.integer({ min: 0, max: 3e8 }),
    promptTokens: fc.integer({ min: 1, max: 3000 }),
    replyTokens: fc.integer({ min: 1, max: 40 }),
    leaves: fc.option(fc.nat({ max: 12 }), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 12 },
);

const base = namedProfiles["tiny"]!;
/** With all that is random, and a limit that is reached. */
const profile = {
  ...base,
  draftTokens: 3,
  power: { ...base.power, limitW: 210, noise: 0.05, thermalDrift: 0.05 },
};

/** @param looks - how often in between the engine is asked whether something is due. */
function history(all: readonly Event[], seed: number, looks: number): unknown[] {
  const log: unknown[] = [];
  const core = new EngineCore(profile, seed, (atNs, power) => log.push([atNs, power]));
  let atNs = 0;
  const goOn = (untilNs: number): void => {
    for (let look = 1; look <= looks; look++) {
      const nowNs = Math.floor(atNs + ((untilNs - atNs) * look) / looks);
      // In time for each step, so that no lateness counts.
      for (let next = core.nextNs; next !== undefined && next <= nowNs; next = core.nextNs) {
        for (const step of core.advance(next)) log.push(step);
      }
    }
    atNs = untilNs;
  };
  for (const [id, { afterNs, promptTokens, replyTokens, leaves }] of all.entries()) {
    goOn(atNs + afterNs);
    if (leaves !== undefined) core.remove(leaves);
    core.submit({ id, key: id * 7, promptTokens, blockHashes: [], replyTokens }, atNs);
  }
  goOn(atNs + 5e9);
  return [...log, core.counts(), core.steps];
}

test("the same seed and the same arrivals give the same steps, tokens and watts, to the bit", () => {
  fc.assert(
    fc.property(events, fc.nat(), fc.integer({ min: 2, max: 9 }), (all, seed, looks) => {
      expect(history(all, seed, looks)).toStrictEqual(history(all, seed, 1));
    }),
    { numRuns: 60 },
  );
});

test("another seed gives the same steps with other watts, as long as no limit is reached", () => {
  const event = { afterNs: 1000, promptTokens: 20, replyTokens: 5, leaves: undefined };
  const [one, other] = [history([event], 1, 1), history([event], 2, 1)];
  expect(other).not.toStrictEqual(one);
  const stepsOf = (log: readonly unknown[]): unknown[] => log.filter((it) => !Array.isArray(it));
  expect(stepsOf(other)).toStrictEqual(stepsOf(one));
  expect(stepsOf(one).length).toBeGreaterThan(3);
});
