import type { Arena } from "./arena.ts";
import { ChunkTemplate } from "./chunk-template.ts";
import type { ReplyReading } from "./read-reply.ts";
import type { SseEvent, SseSplitter } from "./sse.ts";

/** A template is worth its making when so many more events of its length may follow. */
const WORTH_EVENTS = 8;
/** So many templates that matched nothing, and this reply's chunks are not alike. */
const MOST_MISSES = 4;

/** Reads the events of a reply that is over, a slice at a time. */
export class EventsReading {
  readonly #arena: Arena;
  readonly #splitter: SseSplitter;
  readonly #reading: ReplyReading;
  /** Events that were split before the reply was over. */
  #before = 0;
  #template: ChunkTemplate | undefined;
  #isMatched = true;
  #misses = 0;

  constructor(arena: Arena, splitter: SseSplitter, reading: ReplyReading) {
    this.#arena = arena;
    this.#splitter = splitter;
    this.#reading = reading;
  }

  /** Reads on for so many events at most. @returns whether all that is whole has been read. */
  read(mostEvents: number): boolean {
    const { bytes, length } = this.#arena;
    const { events } = this.#splitter;
    for (let left = mostEvents; left > 0; left--) {
      if (this.#reading.isDone) return true;
      if (this.#before < events.length) {
        this.#reading.takeEvent(events[this.#before++]!, this.#arena);
      } else if (!this.#takeAlike(bytes, length)) {
        const start = this.#splitter.eventStart;
        const event = this.#splitter.next(bytes, length);
        if (event === undefined) return true;
        this.#take(event, start);
      }
    }
    return false;
  }

  /** Reads what a clean end of the body makes whole. */
  finish(): void {
    const { bytes, length } = this.#arena;
    this.#splitter.finish(bytes, length);
    for (const event of this.#splitter.events.slice(this.#before)) {
      this.#reading.takeEvent(event, this.#arena);
    }
  }

  /** Takes the next event if it is like one before it, which spares splitting and `JSON.parse`. */
  #takeAlike(bytes: Buffer, length: number): boolean {
    const template = this.#template;
    if (template === undefined || !this.#splitter.isBetweenEvents) return false;
    const end = template.match(bytes, this.#splitter.eventStart, length);
    if (end === -1) return false;
    this.#isMatched = true;
    this.#misses = 0;
    this.#splitter.skipTo(end);
    const encoding = template.isAscii ? "latin1" : "utf8";
    const text = bytes.toString(encoding, template.textStart, template.textEnd);
    this.#reading.takeToken(template, text, end - 1, this.#arena);
    return true;
  }

  #take(event: SseEvent, start: number): void {
    const { tokenAtMs } = this.#reading;
    const before = tokenAtMs.length;
    this.#reading.takeEvent(event, this.#arena);
    // The first token event may hold a role that the others do not.
    if (tokenAtMs.length > before && before > 0) this.#learn(start, event.endOffset + 1);
  }

  #learn(start: number, end: number): void {
    const { bytes, length } = this.#arena;
    if (this.#misses >= MOST_MISSES || length - end < (end - start) * WORTH_EVENTS) return;
    if (!this.#isMatched) this.#misses++;
    this.#isMatched = false;
    this.#template = ChunkTemplate.from(bytes, start, end);
  }
}
