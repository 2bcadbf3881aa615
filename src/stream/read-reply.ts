import type { Arena } from "./arena.ts";
import { type ChoicePiece, choicePiece } from "./chunk-choice.ts";
import type { ChunkTemplate } from "./chunk-template.ts";
import { isDoneSign } from "./done-mark.ts";
import { asArray, asObject, asText, type JsonObject, parseJson } from "./json-value.ts";
import type { Fault } from "./request-outcome.ts";
import { errorIn, errorInText, type ServerError } from "./server-error.ts";
import type { SseEvent } from "./sse.ts";
import { type ServerTimings, serverTimingsOf, type Usage, usageOf } from "./usage.ts";

/** One choice, put together from its pieces. */
export interface ChoiceReading {
  readonly index: number;
  text: string;
  reasoning: string;
  finishReason: string | null;
  readonly toolCalls: { name: string; arguments: string }[];
}

/** What a reply says and when, before it is judged. */
export class ReplyReading {
  /** `[DONE]` was read; what came behind it was not. */
  isDone = false;
  doneMs: number | null = null;
  /** The first thing in the reply that makes the request fail. */
  failure: Fault | undefined;
  /** Chunks that are JSON objects. */
  chunkCount = 0;
  eventCount = 0;
  usage: Usage | undefined;
  promptTokens: number | null = null;
  serverTimings: ServerTimings | null = null;
  model: string | null = null;
  firstContentMs: number | null = null;
  readonly tokenAtMs: number[] = [];
  /** The read of each token event. */
  readonly tokenReads: number[] = [];
  /** Running total of tokens after each token event; -1 where its chunk has no usage. */
  readonly runningTokens: number[] = [];
  readonly #byIndex = new Map<number, ChoiceReading>();
  /** The read that brought the last event. */
  #read = 0;

  /** In the order of their indexes. */
  get choices(): readonly ChoiceReading[] {
    return [...this.#byIndex.values()].sort((a, b) => a.index - b.index);
  }

  /** A reply in one JSON body is no stream: it has no token events and no times. */
  takeBody(body: JsonObject): void {
    this.#takeChunk(body);
  }

  takeEvent(event: SseEvent, arena: Arena): void {
    if (this.isDone) return;
    this.eventCount++;
    this.#read = arena.readOf(event.endOffset, this.#read);
    const atMs = arena.atMsOf(this.#read);
    if (event.errorField !== undefined) this.#failWith(errorInText(event.errorField));
    if (isDoneSign(event.data)) {
      this.isDone = true;
      this.doneMs = atMs;
    } else if (event.type === "error") {
      this.#failWith(
        errorInText(event.data) ?? { message: "an error event without text", code: null },
      );
    } else if (event.data.trim() !== "") this.#takeData(event, this.#read, atMs);
  }

  /** Takes a token event that a template has read: the same as its chunk would say. */
  takeToken(template: ChunkTemplate, text: string, endOffset: number, arena: Arena): void {
    this.eventCount++;
    this.chunkCount++;
    this.#read = arena.readOf(endOffset, this.#read);
    const atMs = arena.atMsOf(this.#read);
    this.model = template.model || this.model;
    const choice = this.#choice(template.index);
    if (template.isReasoning) choice.reasoning += text;
    else {
      choice.text += text;
      this.firstContentMs ??= atMs;
    }
    this.#addToken(this.#read, atMs, -1);
  }

  #takeData({ type, data }: SseEvent, read: number, atMs: number): void {
    const value = parseJson(data);
    const chunk = asObject(value);
    if (chunk === undefined) {
      // `null` says nothing, and a ping may say what it likes; all else is output that is lost.
      if (value !== null && !/ping|heartbeat|keep-?alive/i.test(type)) this.#fail(malformed(data));
      return;
    }
    const pieces = this.#takeChunk(chunk);
    if (!pieces.some((piece) => piece.isToken)) return;
    this.#addToken(read, atMs, usageOf(chunk)?.completionTokens ?? -1);
    if (this.firstContentMs === null && pieces.some((piece) => piece.text !== "")) {
      this.firstContentMs = atMs;
    }
  }

  #addToken(read: number, atMs: number, runningTokens: number): void {
    this.tokenAtMs.push(atMs);
    this.tokenReads.push(read);
    this.runningTokens.push(runningTokens);
  }

  #takeChunk(chunk: JsonObject): ChoicePiece[] {
    this.chunkCount++;
    this.#failWith(errorIn(chunk));
    const usage = usageOf(chunk);
    if (usage?.promptTokens != null) this.promptTokens = usage.promptTokens;
    if (usage !== undefined && usage.completionTokens !== null) this.usage = usage;
    this.serverTimings = serverTimingsOf(chunk) ?? this.serverTimings;
    this.model = asText(chunk["model"]) || this.model;
    const pieces: ChoicePiece[] = [];
    for (const [position, value] of asArray(chunk["choices"]).entries()) {
      const piece = choicePiece(value, position);
      if (piece === undefined) continue;
      pieces.push(piece);
      this.#takePiece(piece);
    }
    return pieces;
  }

  #takePiece(piece: ChoicePiece): void {
    const choice = this.#choice(piece.index);
    choice.text += piece.text;
    choice.reasoning += piece.reasoning;
    for (const { index, name, arguments: args } of piece.toolCalls) {
      const call = choice.toolCalls[index];
      if (call !== undefined) {
        call.name += name;
        call.arguments += args;
      } else if (index >= 0 && index < MOST_TOOL_CALLS)
        choice.toolCalls[index] = { name, arguments: args };
    }
    if (piece.finishReason === null) return;
    choice.finishReason = piece.finishReason;
    const kind = FAILING_REASONS.get(piece.finishReason.toLowerCase());
    if (kind === undefined) return;
    this.#fail({ errorKind: kind, message: `finish_reason is ${piece.finishReason}` });
  }

  #choice(index: number): ChoiceReading {
    const known = this.#byIndex.get(index);
    if (known !== undefined) return known;
    const choice = { index, text: "", reasoning: "", finishReason: null, toolCalls: [] };
    this.#byIndex.set(index, choice);
    return choice;
  }

  #failWith(error: ServerError | undefined): void {
    if (error !== undefined) this.#fail({ errorKind: "stream_error", ...error });
  }

  /** The first reason wins; what came before and after it is kept all the same. */
  #fail(failure: Fault): void {
    this.failure ??= failure;
  }
}

const FAILING_REASONS: ReadonlyMap<string, "aborted" | "stream_error"> = new Map([
  ["abort", "aborted"],
  ["aborted", "aborted"],
  ["error", "stream_error"],
]);

/** No model calls so many tools at once; an index beyond is rubbish. */
const MOST_TOOL_CALLS = 1024;

function malformed(data: string): Fault {
  const message = "an event's data is neither JSON nor [DONE]; its text is kept as rawEvent";
  return { errorKind: "malformed", message, rawEvent: data };
}
