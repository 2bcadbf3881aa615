import type { GeneratorHealth } from "../load/generator-health.ts";
import { Distribution } from "../stats/distribution.ts";
import { eventGapsMs, tokenGapsMs, tokensByEvent } from "../stats/inter-token.ts";
import type { Summary } from "../stats/summary.ts";
import { tpotMs } from "../stats/time-per-output-token.ts";
import { CellTokens } from "./cell-tokens.ts";
import type { RequestLine } from "./request-line.ts";
import { tokenAtMs } from "./request-line-of.ts";
import type { CellPlan } from "./run-header.ts";
import type { CellRecord } from "./run-record.ts";
import { SteadyPart, type WindowPart } from "./steady-part.ts";

/** How the window of a cell ended. */
export interface CellEnd {
  readonly startMs: number;
  readonly endMs: number;
  readonly health?: GeneratorHealth;
  /** Why the load ended before its plan did. */
  readonly stopped?: string;
  readonly notSent: number;
}

/** What the requests of a cell tell. */
export interface CellRequests
  extends Pick<CellRecord, "ttftMs" | "tpotMs" | "e2eMs" | "itlEventMs" | "itlTokenMs"> {
  readonly plan: CellPlan;
  readonly end: CellEnd;
  readonly counts: NonNullable<CellRecord["counts"]>;
  readonly tokens: CellTokens;
  /** What the first request that failed told. */
  readonly firstFailure: string | undefined;
  readonly steady: WindowPart | undefined;
  /** Rates of single requests that ended well, in tokens/s: the server's own, and this side's. */
  readonly serverTokS: readonly number[];
  readonly clientTokS: readonly number[];
}

/** Rates of single requests are kept for so many, which is for benchmarks of few requests. */
const MOST_RATES = 1000;

/**
 * Takes in the requests of one cell, one by one in the order in which they ended; memory does not
 * grow with their number. The same lines in the same order give the same figures.
 */
export class CellAccumulator {
  readonly #plan: CellPlan;
  readonly #steady: SteadyPart;
  readonly #tokens: CellTokens;
  readonly #ttft = new Distribution();
  readonly #tpot = new Distribution();
  readonly #e2e = new Distribution();
  readonly #itlEvent = new Distribution();
  readonly #itlToken = new Distribution();
  readonly #failedByKind = new Map<string, number>();
  readonly #serverTokS: number[] = [];
  readonly #clientTokS: number[] = [];
  #firstFailure: string | undefined;
  #ok = 0;
  #cancelled = 0;
  #hasAllTokenGaps = true;

  /** @param steadyStepMs - the steady part is a whole multiple of it; default as long as it is. */
  constructor(plan: CellPlan, steadyStepMs?: number) {
    this.#plan = plan;
    this.#tokens = new CellTokens();
    this.#steady = new SteadyPart(
      plan.concurrency,
      (line, startMs) => this.#tokens.addSteady(line, startMs, Number.POSITIVE_INFINITY),
      { stepMs: steadyStepMs },
    );
  }

  /** Lines of the warm-up are not looked at. */
  add(line: RequestLine): void {
    if (line.phase !== "window") return;
    const times = tokenAtMs(line);
    this.#tokens.add(line, times, this.#plan.outputTokens);
    this.#steady.add(line);
    if (line.state === "ok") this.#addOk(line, times);
    // Ended by whoever runs the benchmark: that is no fault of the server.
    else if (line.errorKind === "cancelled") this.#cancelled++;
    else {
      const kind = line.errorKind ?? "unknown";
      this.#failedByKind.set(kind, (this.#failedByKind.get(kind) ?? 0) + 1);
      this.#firstFailure ??= failureText(line);
    }
  }

  finish(end: CellEnd): CellRequests {
    const steady = this.#steady.finish((line, part) =>
      this.#tokens.addSteady(line, part.startMs, part.endMs),
    );
    const failedByKind = Object.fromEntries([...this.#failedByKind].toSorted());
    const failed = Object.values(failedByKind).reduce((sum, count) => sum + count, 0);
    return {
      plan: this.#plan,
      end,
      counts: {
        ok: this.#ok,
        failed,
        failedByKind,
        ...(this.#cancelled > 0 && { cancelled: this.#cancelled }),
        notSent: end.notSent,
      },
      tokens: this.#tokens,
      firstFailure: this.#firstFailure,
      steady,
      ...summaryOf("ttftMs", this.#ttft),
      ...summaryOf("tpotMs", this.#tpot),
      ...summaryOf("e2eMs", this.#e2e),
      ...summaryOf("itlEventMs", this.#itlEvent),
      ...(this.#hasAllTokenGaps ? summaryOf("itlTokenMs", this.#itlToken) : {}),
      serverTokS: this.#serverTokS,
      clientTokS: this.#clientTokS,
    };
  }

  #addOk(line: RequestLine, times: Float64Array): void {
    this.#ok++;
    const { sentMs, firstTokenMs, endMs, completionTokens, flags = [] } = line;
    if (sentMs !== undefined) this.#e2e.add(Math.max(0, endMs - sentMs));
    // A reply that was not streamed has no first token of its own.
    if (flags.includes("not_streamed")) return;
    if (sentMs !== undefined && firstTokenMs !== undefined) {
      this.#ttft.add(Math.max(0, firstTokenMs - sentMs));
    }
    const gapsMs = eventGapsMs(times);
    for (const gapMs of gapsMs) this.#itlEvent.add(gapMs);
    this.#addTokenGaps(line, times, gapsMs);
    const perTokenMs = tpotMs(times, completionTokens ?? null);
    if (perTokenMs !== null) this.#tpot.add(perTokenMs);
    this.#addRates(line, perTokenMs);
  }

  #addTokenGaps(
    { completionTokens, tokensByEvent: steps }: RequestLine,
    times: Float64Array,
    gapsMs: readonly number[],
  ): void {
    const byEvent = tokensByEvent(times.length, completionTokens ?? null, steps ?? null);
    if (byEvent && isOneEach(byEvent)) {
      // Nearly always so, and an object for each of hundreds of millions of gaps is dear.
      for (const gapMs of gapsMs) this.#itlToken.add(gapMs);
      return;
    }
    const gaps = byEvent && tokenGapsMs(times, byEvent);
    if (gaps === undefined) this.#hasAllTokenGaps = false;
    else for (const { gapMs, times: count } of gaps) this.#itlToken.add(gapMs, count);
  }

  #addRates({ serverTimings = {} }: RequestLine, perTokenMs: number | null): void {
    if (this.#ok > MOST_RATES) return;
    const { predictedTokens, predictedMs } = serverTimings;
    if (predictedTokens !== undefined && predictedMs !== undefined && predictedMs > 0) {
      this.#serverTokS.push(predictedTokens / (predictedMs / 1000));
    }
    if (perTokenMs !== null && perTokenMs > 0) this.#clientTokS.push(1000 / perTokenMs);
  }
}

/** How much of a server's words a reason repeats, in characters. */
const MOST_SAID = 200;

function failureText({ httpStatus, message = "no reason told" }: RequestLine): string {
  const said = message.length > MOST_SAID ? `${message.slice(0, MOST_SAID)}…` : message;
  return httpStatus === undefined ? said : `HTTP ${httpStatus}: ${said}`;
}

function isOneEach(tokensByEvent: ArrayLike<number>): boolean {
  for (let i = 0; i < tokensByEvent.length; i++) if (tokensByEvent[i] !== 1) return false;
  return true;
}

function summaryOf<Name extends string>(
  name: Name,
  values: Distribution,
): { readonly [Key in Name]?: Summary } {
  return values.n === 0 ? {} : ({ [name]: values.summary() } as { [Key in Name]: Summary });
}
