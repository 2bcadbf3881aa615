import type { RequestErrorKind } from "../stream/request-outcome.ts";

/**
 * One line of `requests.jsonl`: what became of one request. Times are in ms on the clock of its
 * segment, to the µs; what is not known is absent.
 */
export interface RequestLine {
  readonly cell: number;
  /** A cell is measured once in a segment; the last segment counts. */
  readonly segment: number;
  readonly phase: "warm-up" | "window";
  /** Its number in the workload of its phase. */
  readonly index: number;
  readonly state: "ok" | "error";
  readonly errorKind?: RequestErrorKind;
  readonly httpStatus?: number;
  /** Of an error: the server's own words or what happened; secrets are not in it. */
  readonly message?: string;
  readonly dueMs?: number;
  readonly startedMs: number;
  readonly connectedMs?: number;
  readonly sentMs?: number;
  readonly firstByteMs?: number;
  readonly firstTokenMs?: number;
  readonly firstContentMs?: number;
  readonly lastTokenMs?: number;
  readonly endMs: number;
  readonly sendLagMs?: number;
  readonly promptTokens?: number;
  readonly cachedPromptTokens?: number;
  readonly completionTokens?: number;
  readonly tokenSource: "usage" | "absent";
  readonly reasoningTokens?: number;
  readonly acceptedPredictionTokens?: number;
  readonly rejectedPredictionTokens?: number;
  readonly serverTimings?: {
    readonly promptTokens?: number;
    readonly promptMs?: number;
    readonly predictedTokens?: number;
    readonly predictedMs?: number;
  };
  readonly finishReason?: string;
  readonly model?: string;
  readonly tokenEvents: number;
  readonly sharedReadEvents: number;
  /** Of each token event but the first, the time since the one before, in whole µs. */
  readonly gapsUs?: readonly number[];
  /** Tokens of each token event, where a running usage tells. */
  readonly tokensByEvent?: readonly number[];
  readonly flags?: readonly string[];
}
