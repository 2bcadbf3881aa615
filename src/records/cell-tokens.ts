import { type TokenCountReason, tokensInWindow } from "../stats/tokens-in-window.ts";
import type { RequestLine } from "./request-line.ts";
import { tokenAtMs } from "./request-line-of.ts";
import type { WindowPart } from "./steady-part.ts";

/** Output tokens of an interval; absent counts are not known. */
export interface TokenSum {
  readonly output?: number;
  readonly delivered?: number;
  readonly isEstimated: boolean;
  /** Why they are estimated or not known, and by how many requests. */
  readonly why: Readonly<Partial<Record<TokenCountReason, number>>>;
}

/** Adds up tokens, request by request. */
class RunningSum {
  #output = 0;
  #delivered = 0;
  #isKnown = true;
  #isEstimated = false;
  readonly #why: Partial<Record<TokenCountReason, number>> = {};

  add(line: RequestLine, eventTimesMs: Float64Array, startMs: number, endMs: number): void {
    const events = {
      eventTimesMs,
      completionTokens: line.completionTokens ?? null,
      tokenSteps: line.tokensByEvent ?? null,
      isSuccess: line.state === "ok",
    };
    const { output, delivered, isEstimated, why } = tokensInWindow([events], startMs, endMs);
    for (const { reason, requests } of why) this.#why[reason] = (this.#why[reason] ?? 0) + requests;
    if (output === undefined) this.#isKnown = false;
    this.#output += output ?? 0;
    this.#delivered += delivered ?? 0;
    this.#isEstimated ||= isEstimated;
  }

  sum(): TokenSum {
    const counts = this.#isKnown ? { output: this.#output, delivered: this.#delivered } : {};
    return { ...counts, isEstimated: this.#isEstimated, why: { ...this.#why } };
  }
}

/** The tokens of one cell: of its whole window, of its steady part, of its prompts. */
export class CellTokens {
  readonly #whole = new RunningSum();
  readonly #steady = new RunningSum();
  #prompt: number | undefined = 0;
  #cached: number | undefined = 0;
  #minCompletion: number | undefined;
  #minCachedShare: number | undefined;
  #maxCachedShare: number | undefined;
  #mostCached = 0;
  #short = 0;
  #acceptedDrafts: number | undefined;
  #firstMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;

  get whole(): TokenSum {
    return this.#whole.sum();
  }

  get steady(): TokenSum {
    return this.#steady.sum();
  }

  /** Prompt tokens of successful requests; `undefined` where one did not tell. */
  get prompt(): number | undefined {
    return this.#prompt;
  }

  get cachedPrompt(): number | undefined {
    return this.#cached;
  }

  get minCompletion(): number | undefined {
    return this.#minCompletion;
  }

  /** Shares of the prompts that a cache had, from 0 to 1; `undefined` where no server told. */
  get cachedShares(): { readonly min: number; readonly max: number } | undefined {
    if (this.#minCachedShare === undefined || this.#maxCachedShare === undefined) return undefined;
    return { min: this.#minCachedShare, max: this.#maxCachedShare };
  }

  /** The most tokens that a cache had of one prompt. */
  get mostCached(): number {
    return this.#mostCached;
  }

  /** Successful replies with fewer tokens than were asked for. */
  get short(): number {
    return this.#short;
  }

  /** Draft tokens that were taken; `undefined` where no server told. */
  get acceptedDrafts(): number | undefined {
    return this.#acceptedDrafts;
  }

  /** How far outside of a window its tokens came, in ms; 0 where all came in it. */
  outsideMs({ startMs, endMs }: WindowPart): number {
    return Math.max(0, startMs - this.#firstMs, this.#lastMs - endMs);
  }

  /** @param times - when its token events arrived, in that order. */
  add(line: RequestLine, times: Float64Array, outputTokens?: number): void {
    // A window holds all tokens of its requests: it ends with the last of them.
    this.#whole.add(line, times, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY);
    if (times.length > 0) {
      this.#firstMs = Math.min(this.#firstMs, times[0]!);
      this.#lastMs = Math.max(this.#lastMs, times.at(-1)!);
    }
    if (line.state !== "ok") return;
    const { promptTokens, cachedPromptTokens, completionTokens } = line;
    const { acceptedPredictionTokens: accepted } = line;
    if (accepted !== undefined) this.#acceptedDrafts = (this.#acceptedDrafts ?? 0) + accepted;
    this.#prompt = sumOf(this.#prompt, promptTokens);
    this.#cached = sumOf(this.#cached, cachedPromptTokens);
    if (completionTokens !== undefined) {
      this.#minCompletion = Math.min(this.#minCompletion ?? completionTokens, completionTokens);
      if (outputTokens !== undefined && completionTokens < outputTokens) this.#short++;
    }
    if (promptTokens === undefined || cachedPromptTokens === undefined || promptTokens === 0)
      return;
    const share = cachedPromptTokens / promptTokens;
    this.#minCachedShare = Math.min(this.#minCachedShare ?? share, share);
    this.#maxCachedShare = Math.max(this.#maxCachedShare ?? share, share);
    this.#mostCached = Math.max(this.#mostCached, cachedPromptTokens);
  }

  addSteady(line: RequestLine, startMs: number, endMs: number): void {
    this.#steady.add(line, tokenAtMs(line), startMs, endMs);
  }
}

/** A sum is known only if every part of it is. */
function sumOf(sum: number | undefined, part: number | undefined): number | undefined {
  return sum === undefined || part === undefined ? undefined : sum + part;
}
