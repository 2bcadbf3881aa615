import { STATUS_CODES } from "node:http";

/** How many digits the send time has, which is every token's text: nanoseconds, a blank behind. */
const STAMP_DIGITS = 19;

/** Writes token events as the bytes of HTTP chunks, each with the time at which it was made. */
export class EventBytes {
  /** The head of a streamed reply, with the role event that a chat server sends first. */
  readonly head: Buffer;
  readonly #isChat: boolean;
  readonly #template: Buffer;
  readonly #stampAt: number;
  #tail: { events: number; wantsUsage: boolean; bytes: Buffer } | undefined;

  constructor(isChat: boolean) {
    this.#isChat = isChat;
    this.head = Buffer.from(streamHead(isChat), "latin1");
    const stamp = "0".repeat(STAMP_DIGITS);
    const choice = isChat
      ? { index: 0, delta: { content: `${stamp} ` }, logprobs: null, finish_reason: null }
      : { index: 0, text: `${stamp} `, logprobs: null, finish_reason: null };
    const event = `data: ${JSON.stringify({ ...envelope(isChat), choices: [choice] })}\n\n`;
    this.#template = Buffer.from(chunk(event), "latin1");
    this.#stampAt = this.#template.indexOf(stamp);
  }

  /** Length of one event as an HTTP chunk, in bytes. */
  get eventLength(): number {
    return this.#template.length;
  }

  /** The next `count` events in one buffer, stamped with this moment of the monotonic clock. */
  stamped(count: number): Buffer {
    const bytes = Buffer.allocUnsafe(this.#template.length * count);
    const stamp = String(process.hrtime.bigint()).padStart(STAMP_DIGITS, "0");
    for (let i = 0; i < count; i++) {
      const at = i * this.#template.length;
      this.#template.copy(bytes, at);
      bytes.write(stamp, at + this.#stampAt, "latin1");
    }
    return bytes;
  }

  /** What stands behind the last token; made once for as long as all requests ask for the same. */
  tail(events: number, wantsUsage: boolean): Buffer {
    const made = this.#tail;
    if (made?.events === events && made.wantsUsage === wantsUsage) return made.bytes;
    const bytes = Buffer.from(streamTail(this.#isChat, events, wantsUsage), "latin1");
    this.#tail = { events, wantsUsage, bytes };
    return bytes;
  }
}

function streamHead(isChat: boolean): string {
  const role = { index: 0, delta: { role: "assistant", content: "" }, finish_reason: null };
  const first = isChat
    ? chunk(`data: ${JSON.stringify({ ...envelope(true), choices: [role] })}\n\n`)
    : "";
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${first}`;
}

/** The finish reason, usage where it was asked for, the end. */
function streamTail(isChat: boolean, events: number, wantsUsage: boolean): string {
  const last = isChat
    ? { index: 0, delta: {}, finish_reason: "length" }
    : { index: 0, text: "", finish_reason: "length" };
  const parts = [
    { ...envelope(isChat), choices: [last] },
    ...(wantsUsage ? [{ ...envelope(isChat), choices: [], usage: usage(events) }] : []),
  ];
  const lines = [...parts.map((part) => JSON.stringify(part)), "[DONE]"];
  return `${chunk(lines.map((line) => `data: ${line}\n\n`).join(""))}0\r\n\r\n`;
}

/** A reply that is not streamed. */
export function wholeReply(isChat: boolean, events: number): string {
  const content = "token ".repeat(events);
  const choice = isChat
    ? { index: 0, message: { role: "assistant", content }, finish_reason: "length" }
    : { index: 0, text: content, finish_reason: "length" };
  return jsonReply(200, {
    ...envelope(isChat),
    object: isChat ? "chat.completion" : "text_completion",
    choices: [choice],
    usage: usage(events),
  });
}

/** Any JSON as a whole HTTP reply. */
export function jsonReply(status: number, value: object, head = ""): string {
  const body = JSON.stringify(value);
  const reason = STATUS_CODES[status] ?? "Error";
  return `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${head}\r\n${body}`;
}

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

function usage(events: number): object {
  return { prompt_tokens: 8, completion_tokens: events, total_tokens: 8 + events };
}

function envelope(isChat: boolean): object {
  return {
    id: "cmpl-instant",
    object: isChat ? "chat.completion.chunk" : "text_completion",
    created: 0,
    model: "instant",
  };
}
