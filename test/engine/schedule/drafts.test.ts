import { expect, test } from "vitest";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";
import { acceptedDrafts, proposedDrafts } from "../../../src/engine/schedule/drafts.ts";
import { mixKeys } from "../../../src/engine/schedule/keys.ts";

const profile = { ...namedProfiles["tiny"]!, draftTokens: 4, draftAcceptance: 0.7 };

test("no more drafts are proposed than a reply has room for beside the model's own token", () => {
  expect([1, 2, 4, 5, 6, 100].map((left) => proposedDrafts(profile, left))).toEqual([
    0, 1, 3, 4, 4, 4,
  ]);
});

test("the number of drafts taken is geometric", () => {
  const trials = 40_000;
  const seen = [0, 0, 0, 0, 0];
  for (let i = 0; i < trials; i++) seen[acceptedDrafts(profile, mixKeys(1, i), 10, 4)]!++;
  // 0.3, 0.7 · 0.3, 0.7² · 0.3, 0.7³ · 0.3 and 0.7⁴; one standard error is 0.0025 at most.
  for (const [taken, chance] of [0.3, 0.21, 0.147, 0.1029, 0.2401].entries()) {
    expect(Math.abs(seen[taken]! / trials - chance)).toBeLessThan(0.01);
  }
});

test("whether a place of a reply is taken does not depend on where the step began", () => {
  for (let key = 0; key < 200; key++) {
    const fromTen = acceptedDrafts(profile, key, 10, 4);
    if (fromTen > 0) expect(acceptedDrafts(profile, key, 11, 3)).toBe(fromTen - 1);
  }
});
