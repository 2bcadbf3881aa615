import type { Arena } from "./arena.ts";
import type { ResponseHead } from "./http-head.ts";
import type { Fault, RequestFacts } from "./request-outcome.ts";
import type { SseSplitter } from "./sse.ts";

/** Times and facts of the exchange, which the reply itself does not tell. */
export type ExchangeFacts = Pick<
  RequestFacts,
  | "dueMs"
  | "startedMs"
  | "connectedMs"
  | "sentMs"
  | "firstByteMs"
  | "endMs"
  | "networkReads"
  | "reusedConnection"
  | "remoteAddress"
>;

/** All that one request left behind. */
export interface ExchangeRecord {
  readonly head: ResponseHead | undefined;
  readonly arena: Arena;
  readonly splitter: SseSplitter;
  readonly fault: Fault | null;
  readonly facts: ExchangeFacts;
}

export interface OutcomeOptions {
  readonly keepText: boolean;
  readonly redact: (text: string) => string;
}
