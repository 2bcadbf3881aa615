import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { EngineProfile } from "../../../src/engine/profiles/engine-profile.ts";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";
import { Scheduler } from "../../../src/engine/schedule/scheduler.ts";
import type { SequenceProgress, StepPlan } from "../../../src/engine/schedule/sequence.ts";

const KV_TOKENS = 400;

const profiles: fc.Arbitrary<EngineProfile> = fc
  .record({
    maxRunning: fc.integer({ min: 1, max: 6 }),
    stepTokens: fc.integer({ min: 1, max: 64 }),
    hasPrefixCache: fc.boolean(),
    draftTokens: fc.nat(4),
    draftAcceptance: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map((changes) => ({ ...namedProfiles["tiny"]!, kvTokens: KV_TOKENS, ...changes }));

/** What happens before each step: sequences that come, and one that may go. */
interface Moment {
  readonly coming: readonly { promptTokens: number; replyTokens: number; family: number }[];
  readonly going: number | undefined;
  readonly isMidStep: boolean;
}

const moments: fc.Arbitrary<Moment[]> = fc.array(
  fc.record({
    coming: fc.array(
      fc.record({
        promptTokens: fc.nat(200),
        replyTokens: fc.integer({ min: 1, max: 30 }),
        family: fc.nat(2),
      }),
      { maxLength: 4 },
    ),
    going: fc.option(fc.nat(30), { nil: undefined }),
    isMidStep: fc.boolean(),
  }),
  { maxLength: 12 },
);

interface Step {
  readonly plan: StepPlan | undefined;
  readonly progress: readonly SequenceProgress[];
}

/** Plays the moments, one before each step, and then steps until nothing is left to do. */
function play(profile: EngineProfile, script: readonly Moment[], see?: (s: Scheduler) => void) {
  const scheduler = new Scheduler(profile);
  const asked = new Map<number, number>();
  const gone = new Set<number>();
  const steps: Step[] = [];
  const go = (id: number | undefined) => {
    if (id !== undefined && scheduler.remove(id)) gone.add(id);
  };
  for (let i = 0; i < script.length || steps.at(-1)?.plan; i++) {
    const moment = script[i];
    for (const { promptTokens, replyTokens, family } of moment?.coming ?? []) {
      const id = asked.size;
      const blockHashes = Array.from({ length: promptTokens >> 4 }, (_, n) => family * 100 + n);
      scheduler.add({ id, key: id * 77, promptTokens, blockHashes, replyTokens });
      asked.set(id, replyTokens);
    }
    if (moment && !moment.isMidStep) go(moment.going);
    const plan = scheduler.begin();
    if (moment?.isMidStep) go(moment.going);
    see?.(scheduler);
    steps.push({ plan, progress: plan ? scheduler.finish() : [] });
  }
  return { steps, asked, gone, counts: scheduler.counts() };
}

describe("any schedule", () => {
  test("is the same for the same requests", () => {
    fc.assert(
      fc.property(profiles, moments, (profile, script) => {
        expect(play(profile, script)).toEqual(play(profile, script));
      }),
    );
  });

  test("gives each sequence exactly its reply, in order, and ends it once", () => {
    fc.assert(
      fc.property(profiles, moments, (profile, script) => {
        const { steps, asked, gone } = play(profile, script);
        const tokensById = new Map<number, number>();
        const ended = new Set<number>();
        for (const { id, tokens, firstToken, isLast } of steps.flatMap((step) => step.progress)) {
          expect(ended.has(id)).toBe(false);
          expect(firstToken).toBe(tokensById.get(id) ?? 0);
          tokensById.set(id, firstToken + tokens);
          if (isLast) ended.add(id);
        }
        for (const [id, replyTokens] of asked) {
          expect(ended.has(id)).toBe(!gone.has(id));
          const tokens = tokensById.get(id) ?? 0;
          if (gone.has(id)) expect(tokens).toBeLessThan(replyTokens);
          else expect(tokens).toBe(replyTokens);
        }
      }),
    );
  });

  test("holds to the most that run, to the room and to the tokens of a step", () => {
    fc.assert(
      fc.property(profiles, moments, (profile, script) => {
        const { maxRunning, stepTokens, draftTokens } = profile;
        const { steps } = play(profile, script, (scheduler) => {
          expect(scheduler.counts().running).toBeLessThanOrEqual(maxRunning);
          expect(scheduler.counts().kvTokens).toBeLessThanOrEqual(KV_TOKENS);
        });
        for (const { plan, progress } of steps) {
          if (!plan) continue;
          expect(plan.decoding).toBeLessThanOrEqual(Math.min(maxRunning, stepTokens));
          const decodeTokens = plan.decoding * (1 + draftTokens);
          const mostPrefill = Math.max(0, stepTokens - decodeTokens);
          expect(plan.prefillTokens).toBeLessThanOrEqual(mostPrefill);
          for (const { tokens } of progress) expect(tokens).toBeLessThanOrEqual(1 + draftTokens);
        }
      }),
    );
  });

  test("reports in order of arrival, and leaves nothing behind", () => {
    fc.assert(
      fc.property(profiles, moments, (profile, script) => {
        const { steps, counts } = play(profile, script);
        for (const { progress } of steps) {
          const ids = progress.map(({ id }) => id);
          expect(ids).toEqual(ids.toSorted((a, b) => a - b));
        }
        expect(counts).toMatchObject({ waiting: 0, running: 0, kvTokens: 0 });
      }),
    );
  });

  test("counts what its steps did", () => {
    fc.assert(
      fc.property(profiles, moments, (profile, script) => {
        const calm = script.map((moment) => ({ ...moment, going: undefined }));
        const { steps, counts } = play(profile, calm);
        const progress = steps.flatMap((step) => step.progress);
        const first = progress.filter(({ firstToken }) => firstToken === 0);
        const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
        expect(counts.draftTokens).toBe(sum(progress.map((one) => one.draftTokens)));
        expect(counts.acceptedDraftTokens).toBe(
          sum(progress.map((one) => one.acceptedDraftTokens)),
        );
        expect(counts.cacheHitTokens).toBe(sum(first.map((one) => one.cachedTokens)));
        const prompts = calm.flatMap(({ coming }) => coming).map((one) => one.promptTokens || 1);
        const computed = sum(steps.map(({ plan }) => plan?.prefillTokens ?? 0));
        expect(computed).toBe(sum(prompts) - counts.cacheHitTokens);
      }),
    );
  });

  test("gives equal prompts their first tokens in order of arrival", () => {
    fc.assert(
      fc.property(profiles, fc.nat(150), fc.nat(20), (profile, promptTokens, count) => {
        const coming = Array.from({ length: count }, (_, i) => ({
          promptTokens,
          replyTokens: 1 + (i % 7),
          family: 0,
        }));
        const { steps } = play(profile, [{ coming, going: undefined, isMidStep: false }]);
        const firstIds = steps
          .flatMap(({ progress }) => progress)
          .filter(({ firstToken }) => firstToken === 0)
          .map(({ id }) => id);
        expect(firstIds).toEqual(coming.map((_, id) => id));
      }),
    );
  });
});

test("what a sequence gets by drafts does not depend on the company it has", () => {
  const profile = { ...namedProfiles["tiny"]!, draftTokens: 3 };
  const asked = { promptTokens: 20, blockHashes: [], replyTokens: 200 };
  const tokensOfFirst = (others: number) => {
    const scheduler = new Scheduler(profile);
    for (let id = 0; id <= others; id++) scheduler.add({ ...asked, id, key: 1000 - id });
    const tokens: number[] = [];
    while (scheduler.begin()) {
      tokens.push(...scheduler.finish().flatMap((one) => (one.id === 0 ? [one.tokens] : [])));
    }
    return tokens;
  };
  expect(tokensOfFirst(9)).toEqual(tokensOfFirst(0));
});

test("of the drafts that are proposed, as many are taken as geometric acceptance takes", () => {
  const profile = { ...namedProfiles["tiny"]!, draftTokens: 3, draftAcceptance: 0.7 };
  const scheduler = new Scheduler(profile);
  for (let id = 0; id < 50; id++) {
    scheduler.add({ id, key: id * 99, promptTokens: 1, blockHashes: [], replyTokens: 1000 });
  }
  while (scheduler.begin()) scheduler.finish();
  const { draftTokens, acceptedDraftTokens } = scheduler.counts();
  // (0.7 + 0.7² + 0.7³) of three.
  expect(Math.abs(acceptedDraftTokens / draftTokens - 1.533 / 3)).toBeLessThan(0.01);
});
