import type { EngineProfile } from "../profiles/engine-profile.ts";
import { uniformAt } from "./keys.ts";

/** How many draft tokens are worth proposing: the step gives one token of the model's own too. */
export function proposedDrafts({ draftTokens }: EngineProfile, tokensLeft: number): number {
  return Math.min(draftTokens, tokensLeft - 1);
}

/**
 * How many of the proposed draft tokens are taken: those before the first that is refused.
 * Whether the token at a place of a reply would be taken depends on key and place alone, so the
 * same reply takes the same drafts whatever else the engine does.
 *
 * @param firstToken - place of the first of them in the reply.
 */
export function acceptedDrafts(
  { draftAcceptance }: EngineProfile,
  key: number,
  firstToken: number,
  proposed: number,
): number {
  let accepted = 0;
  while (accepted < proposed && uniformAt(key, firstToken + accepted) < draftAcceptance) accepted++;
  return accepted;
}
