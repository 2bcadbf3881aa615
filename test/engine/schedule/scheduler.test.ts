import { describe, expect, test } from "vitest";
import type { EngineProfile } from "../../../src/engine/profiles/engine-profile.ts";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";
import { Scheduler } from "../../../src/engine/schedule/scheduler.ts";
import type { NewSequence } from "../../../src/engine/schedule/sequence.ts";

/** Round numbers, so that a schedule can be worked out by hand. */
const profile: EngineProfile = {
  ...namedProfiles["tiny"]!,
  kvTokens: 1000,
  maxRunning: 4,
  stepTokens: 100,
  stepBaseMs: 10,
  stepPerSequenceMs: 1,
  stepPerKiloContextMs: 2,
  prefillTokensPerS: 1000,
  hasPrefixCache: false,
  draftTokens: 0,
};

function sequence(id: number, more: Partial<NewSequence> = {}): NewSequence {
  return { id, key: id, promptTokens: 50, blockHashes: [], replyTokens: 3, ...more };
}

function schedulerWith(changes: Partial<EngineProfile>, ...sequences: NewSequence[]): Scheduler {
  const scheduler = new Scheduler({ ...profile, ...changes });
  for (const asked of sequences) scheduler.add(asked);
  return scheduler;
}

/** One step, as `decoding+prefillTokens → id:tokens …`, with `!` at the end of a reply. */
function stepText(scheduler: Scheduler): string {
  const plan = scheduler.begin();
  if (!plan) return "nothing";
  const progress = scheduler
    .finish()
    .map(({ id, tokens, isLast }) => `${id}:${tokens}${isLast ? "!" : ""}`);
  return `${plan.decoding}+${plan.prefillTokens} → ${progress.join(" ")}`;
}

function stepTexts(scheduler: Scheduler): string[] {
  const texts: string[] = [];
  while (texts.at(-1) !== "nothing") texts.push(stepText(scheduler));
  return texts.slice(0, -1);
}

/** Hashes of `count` blocks of a prompt that begins with the blocks of others of its family. */
function blocks(count: number, family = 0): number[] {
  return Array.from({ length: count }, (_, i) => family * 1000 + i);
}

describe("a schedule", () => {
  test("has nothing to do before a sequence comes and after the last has ended", () => {
    const scheduler = schedulerWith({});
    expect(scheduler.begin()).toBeUndefined();
    scheduler.add(sequence(0, { replyTokens: 1 }));
    expect(stepTexts(scheduler)).toEqual(["0+50 → 0:1!"]);
    expect(scheduler.counts()).toMatchObject({ waiting: 0, running: 0, kvTokens: 0 });
  });

  test("gives the first token with the step that completes the prompt, then one in each", () => {
    const scheduler = schedulerWith({}, sequence(0, { promptTokens: 250 }));
    expect(stepTexts(scheduler)).toEqual([
      "0+100 → ",
      "0+100 → ",
      "0+50 → 0:1",
      "1+0 → 0:1",
      "1+0 → 0:1!",
    ]);
  });

  test("decodes all that are prefilled, and prefills others with what the step leaves", () => {
    const scheduler = schedulerWith(
      {},
      sequence(0, { promptTokens: 60 }),
      sequence(1, { promptTokens: 90 }),
      sequence(2, { promptTokens: 60 }),
    );
    expect(stepTexts(scheduler)).toEqual([
      "0+100 → 0:1",
      "1+99 → 0:1 1:1",
      "2+11 → 0:1! 1:1 2:1",
      "2+0 → 1:1! 2:1",
      "1+0 → 2:1!",
    ]);
  });

  test("takes base, sequences, contexts and prefill into the time of a step", () => {
    const scheduler = schedulerWith({}, sequence(0, { promptTokens: 40 }));
    expect(scheduler.begin()).toEqual({
      decoding: 0,
      prefillTokens: 40,
      contextTokens: 0,
      durationMs: 10 + 40,
      prefillShare: 0.8,
      admitted: [0],
    });
    scheduler.finish();
    scheduler.add(sequence(1, { promptTokens: 30 }));
    const plan = scheduler.begin()!;
    expect(plan).toMatchObject({ decoding: 1, prefillTokens: 30, contextTokens: 41 });
    expect(plan.durationMs).toBeCloseTo(10 + 1 + 2 * 0.041 + 30, 9);
    expect(plan.prefillShare).toBeCloseTo(30 / 41.082, 9);
  });

  test("runs no more at a time than allowed; the next one comes in when one has ended", () => {
    const replies = [3, 1, 1, 1].map((replyTokens, id) =>
      sequence(id, { promptTokens: 10, replyTokens }),
    );
    const scheduler = schedulerWith({ maxRunning: 2 }, ...replies);
    expect(stepTexts(scheduler)).toEqual([
      "0+20 → 0:1 1:1!",
      "1+10 → 0:1 2:1!",
      "1+10 → 0:1! 3:1!",
    ]);
  });

  test("reserves prompt and reply at admission, and lets none pass one that finds no room", () => {
    const scheduler = schedulerWith(
      { kvTokens: 100 },
      sequence(0, { promptTokens: 58, replyTokens: 2 }),
      sequence(1, { promptTokens: 40, replyTokens: 1 }),
      sequence(2, { promptTokens: 10, replyTokens: 1 }),
    );
    expect(stepText(scheduler)).toBe("0+58 → 0:1");
    expect(scheduler.counts()).toMatchObject({ waiting: 2, running: 1, kvTokens: 60 });
    expect(stepTexts(scheduler)).toEqual(["1+0 → 0:1!", "0+50 → 1:1! 2:1!"]);
  });

  test("refuses what could never run, and one that is there already", () => {
    const scheduler = schedulerWith({ kvTokens: 100 }, sequence(0));
    expect(() => scheduler.add(sequence(1, { promptTokens: 98 }))).toThrow("101 tokens of 100");
    expect(() => scheduler.add(sequence(0))).toThrow(RangeError);
    expect(() => scheduler.add(sequence(1, { replyTokens: 0 }))).toThrow(RangeError);
    expect(() => scheduler.add(sequence(1, { promptTokens: 1.5 }))).toThrow(RangeError);
    expect(scheduler.counts()).toMatchObject({ waiting: 1, running: 0 });
  });

  test("an empty prompt is one token", () => {
    const scheduler = schedulerWith({}, sequence(0, { promptTokens: 0, replyTokens: 1 }));
    expect(stepTexts(scheduler)).toEqual(["0+1 → 0:1!"]);
  });

  test("steps begin and finish in turn", () => {
    const scheduler = schedulerWith({}, sequence(0));
    expect(() => scheduler.finish()).toThrow("no step has begun");
    scheduler.begin();
    expect(() => scheduler.begin()).toThrow("not been finished");
  });
});

describe("a sequence whose client goes", () => {
  test("while it waits, is never admitted", () => {
    const scheduler = schedulerWith({ maxRunning: 1 }, sequence(0), sequence(1), sequence(2));
    stepText(scheduler);
    expect(scheduler.remove(1)).toBe(true);
    expect(scheduler.counts()).toMatchObject({ waiting: 1, running: 1 });
    expect(stepTexts(scheduler).filter((text) => text.includes("1:"))).toEqual([]);
  });

  test("in the middle of a step, is not in its result, and its room is free at once", () => {
    const scheduler = schedulerWith({}, sequence(0), sequence(1));
    scheduler.begin();
    expect(scheduler.remove(0)).toBe(true);
    expect(scheduler.counts()).toMatchObject({ running: 1, kvTokens: 53 });
    expect(scheduler.finish().map(({ id }) => id)).toEqual([1]);
    expect(scheduler.remove(0)).toBe(false);
  });

  test("makes room for the next one", () => {
    const scheduler = schedulerWith({ kvTokens: 60 }, sequence(0), sequence(1));
    stepText(scheduler);
    scheduler.remove(0);
    expect(stepText(scheduler)).toBe("0+50 → 1:1");
  });

  test("after its last token, is not there any more", () => {
    const scheduler = schedulerWith({}, sequence(0, { replyTokens: 1 }));
    stepText(scheduler);
    expect(scheduler.remove(0)).toBe(false);
    expect(scheduler.remove(7)).toBe(false);
  });
});

describe("the prefix cache", () => {
  const cached = { hasPrefixCache: true };

  test("spares the whole blocks that were seen, and says how many tokens that is", () => {
    const scheduler = schedulerWith(cached, sequence(0, { blockHashes: blocks(3) }));
    stepTexts(scheduler);
    scheduler.add(sequence(1, { promptTokens: 90, blockHashes: blocks(5), replyTokens: 1 }));
    expect(scheduler.begin()).toMatchObject({ prefillTokens: 90 - 48 });
    expect(scheduler.finish()).toMatchObject([{ id: 1, cachedTokens: 48 }]);
    expect(scheduler.counts()).toMatchObject({ cacheQueryTokens: 140, cacheHitTokens: 48 });
  });

  test("never spares the last token of a prompt", () => {
    const asked = { promptTokens: 48, blockHashes: blocks(3), replyTokens: 1 };
    const scheduler = schedulerWith(cached, sequence(0, asked));
    stepTexts(scheduler);
    scheduler.add(sequence(1, asked));
    expect(stepText(scheduler)).toBe("0+16 → 1:1!");
  });

  test("knows a block only when it has been computed", () => {
    const asked = { promptTokens: 60, blockHashes: blocks(3) };
    const scheduler = schedulerWith(cached, sequence(0, asked), sequence(1, asked));
    expect(stepText(scheduler)).toBe("0+100 → 0:1");
    scheduler.add(sequence(2, asked));
    expect(stepText(scheduler)).toBe("1+32 → 0:1 1:1 2:1");
  });

  test("keeps what was computed of a prompt whose client went", () => {
    const asked = { promptTokens: 150, blockHashes: blocks(9) };
    const scheduler = schedulerWith(cached, sequence(0, asked));
    stepText(scheduler);
    scheduler.remove(0);
    scheduler.add(sequence(1, asked));
    expect(scheduler.begin()).toMatchObject({ prefillTokens: 150 - 96 });
  });

  test("is not asked when the profile has none", () => {
    const scheduler = schedulerWith({}, sequence(0, { blockHashes: blocks(3) }));
    stepTexts(scheduler);
    scheduler.add(sequence(1, { blockHashes: blocks(3) }));
    expect(stepText(scheduler)).toBe("0+50 → 1:1");
    expect(scheduler.counts()).toMatchObject({ cacheQueryTokens: 0, cacheHitTokens: 0 });
  });
});

describe("speculation", () => {
  test("takes all drafts or none at the ends of the range, and never more than the reply", () => {
    const certain = { draftTokens: 3, draftAcceptance: 1 };
    const asked = sequence(0, { promptTokens: 10, replyTokens: 8 });
    const sure = schedulerWith(certain, asked);
    expect(stepTexts(sure)).toEqual(["0+10 → 0:1", "1+0 → 0:4", "1+0 → 0:3!"]);
    expect(sure.counts()).toMatchObject({ draftTokens: 5, acceptedDraftTokens: 5 });
    const never = schedulerWith({ draftTokens: 3, draftAcceptance: 0 }, asked);
    expect(stepTexts(never)).toHaveLength(8);
    expect(never.counts()).toMatchObject({
      draftTokens: 3 * 4 + 2 + 1,
      acceptedDraftTokens: 0,
    });
  });

  test("drafts count in the step; decoding beyond it keeps prompts out, not itself", () => {
    const scheduler = schedulerWith(
      { draftTokens: 3, draftAcceptance: 0, stepTokens: 10 },
      ...[0, 1, 2, 3].map((id) => sequence(id, { promptTokens: 3, replyTokens: 2 })),
    );
    expect(stepTexts(scheduler)).toEqual([
      "0+10 → 0:1 1:1 2:1",
      "3+0 → 0:1! 1:1! 2:1!",
      "0+2 → 3:1",
      "1+0 → 3:1!",
    ]);
  });
});
