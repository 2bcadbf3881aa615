import type { ServerTimings } from "./usage.ts";

/** Why a request failed. What the server or network did first, then what this side did. */
export type RequestErrorKind =
  /** A status other than 2xx; redirects too, they are not followed. */
  | "http_status"
  /** The server told of an error inside its reply. */
  | "stream_error"
  /** The engine dropped the request (`finish_reason: "abort"`). */
  | "aborted"
  /** The reply ended before anything said that it was over. */
  | "truncated"
  /** The connection broke, or closed before a response had begun. */
  | "connection_reset"
  /** One of this tool's own timeouts; `timeoutKind` says which. */
  | "timeout"
  /** A reply in which nothing was generated. */
  | "empty"
  /** An event that is not JSON, or a response that is not HTTP/1. */
  | "malformed"
  /** Neither an event stream nor a reply in JSON. */
  | "not_sse"
  /** One JSON body in place of a stream, and not a whole reply either. */
  | "not_streamed"
  | "unsupported_encoding"
  /** No connection: name, address, TLS. */
  | "connect_failed"
  /** This machine's limits (open files, ports, memory), or a request that cannot be written. */
  | "client_error"
  /** The caller's signal. */
  | "cancelled"
  /** More body than this tool keeps of one reply. */
  | "too_large";

/** Which timeout ended a request: that of the whole request, or that of silence. */
export type TimeoutKind = "total" | "idle";

/** What makes a request fail, and what there is to say about it. */
export interface Fault {
  readonly errorKind: RequestErrorKind;
  readonly message: string;
  /** The server's code, or the system's (`ECONNREFUSED`). */
  readonly code?: number | string | null;
  readonly timeoutKind?: TimeoutKind;
  /** The data of the event that could not be read. */
  readonly rawEvent?: string;
}

/** What is worth knowing of an outcome before its numbers are used. */
export type OutcomeFlag =
  /** One event held the whole reply: its TTFT is in truth the whole latency. */
  | "single_event"
  /** The model ended at once, without output. */
  | "empty_reply"
  /** The server ignored `stream: true`: tokens and E2E are real, TTFT and TPOT were not measured. */
  | "not_streamed"
  /** Some token events shared a read: the gaps of 0 ms between them are not the server's. */
  | "shared_reads"
  /** Tokens beyond `completion_tokens` were generated (`total_tokens` says so) and are counted. */
  | "tokens_beyond_completion";

/** A call of a tool, put together from its pieces. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: string;
}

/** One of the `n` answers to a request. */
export interface ChoiceOutcome {
  readonly index: number;
  /** `null` where no text is kept. */
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly finishReason: string | null;
  readonly toolCalls: readonly ToolCall[];
}

/**
 * What is known of one request, whatever became of it. `null` is unknown, never 0.
 *
 * Every time is in ms on the run's clock (`nowMs`).
 */
export interface RequestFacts {
  readonly httpStatus: number | null;
  /** Whether the reply came as a stream; `null` where none came. */
  readonly streamed: boolean | null;
  /** The model that the reply names. */
  readonly model: string | null;

  /** Generated tokens, all choices together, as the server's last usage says. */
  readonly completionTokens: number | null;
  /** `completion_tokens` of that usage; less than `completionTokens` where reasoning comes on top. */
  readonly reportedCompletionTokens: number | null;
  readonly tokenSource: "usage" | "absent";
  /** The number of token events where there is no usage: an estimate, not a count. */
  readonly estimatedTokens: number | null;
  readonly promptTokens: number | null;
  readonly reasoningTokens: number | null;
  readonly cachedPromptTokens: number | null;
  readonly acceptedPredictionTokens: number | null;
  readonly rejectedPredictionTokens: number | null;
  readonly serverTimings: ServerTimings | null;

  /** Of the first choice. */
  readonly text: string | null;
  readonly reasoning: string | null;
  readonly finishReason: string | null;
  readonly toolCalls: readonly ToolCall[];
  readonly choices: readonly ChoiceOutcome[];

  /** Reads of the socket; never events, never tokens. */
  readonly networkReads: number;
  /** Events that brought something generated; never tokens. */
  readonly tokenEventCount: number;
  /** When each token event arrived: on entry of the socket's data handler, before any decoding. */
  readonly tokenAtMs: Float64Array;
  /** Tokens in each token event, where a running usage tells. */
  readonly tokensByEvent: Uint32Array | null;
  /** Token events that shared their read with another one. */
  readonly sharedReadEventCount: number;

  /** When it should have been sent, as the caller said. */
  readonly dueMs: number | null;
  /** When `streamRequest` was called; up to `sentMs` it waited for a connection. */
  readonly startedMs: number;
  /** When the connection was there; `null` for one that was used before. */
  readonly connectedMs: number | null;
  /** When the request was handed to the connected socket. */
  readonly sentMs: number | null;
  /** First byte of the final response's head; interim (1xx) responses do not count. */
  readonly firstByteMs: number | null;
  /** First token event of any channel. */
  readonly firstTokenMs: number | null;
  /** First token event with text to read: no reasoning, no call of a tool. */
  readonly firstContentMs: number | null;
  readonly lastTokenMs: number | null;
  /** `[DONE]`, else the end of the body, else the moment it failed. */
  readonly endMs: number;

  readonly reusedConnection: boolean;
  /** Address connected to, or the path of the unix socket. */
  readonly remoteAddress: string | null;
  readonly flags: readonly OutcomeFlag[];
}

/** A request whose reply is whole. */
export interface OkOutcome extends RequestFacts {
  readonly state: "ok";
  readonly errorKind: null;
  readonly sentMs: number;
  /** (last − first)/(n − 1); `null` for n < 2, for an unknown n and for a single token event. */
  readonly tpotMs: number | null;
  /** (last − first)/(n − tokens of the first event), where a running usage tells them. */
  readonly tpotExcludingFirstEventMs: number | null;
}

/** A request that failed: it has its partial text and times, and enters no success metric. */
export interface ErrorOutcome extends RequestFacts {
  readonly state: "error";
  readonly errorKind: RequestErrorKind;
  /** The server's own words where it said any, else what happened; never with a secret. */
  readonly errorMessage: string;
  readonly errorCode: number | string | null;
  readonly timeoutKind: TimeoutKind | null;
  /** The first kB of a body that is no stream; never with a secret. */
  readonly errorBody: string | null;
  readonly rawEvent: string | null;
  readonly retryAfterS: number | null;
  readonly tpotMs: null;
  readonly tpotExcludingFirstEventMs: null;
}

/** What became of one request. */
export type RequestOutcome = OkOutcome | ErrorOutcome;
