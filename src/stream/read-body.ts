import type { Arena } from "./arena.ts";
import type { ExchangeRecord } from "./exchange-record.ts";
import { asObject, parseJson } from "./json-value.ts";
import type { BodyForm } from "./judge-reply.ts";
import { EventsReading } from "./read-events.ts";
import { ReplyReading } from "./read-reply.ts";

/** What the body turned out to be, and what it says. */
export interface BodyReading {
  readonly form: BodyForm;
  readonly reading: ReplyReading;
  readonly body: string;
}

/** Events that are read without a look at the clock: less than half a millisecond of them. */
const EVENTS_AT_ONCE = 128;

/** Reads a body as what it is: events, one JSON object, or neither; its label may be wrong. */
export class BodyReader {
  readonly #record: ExchangeRecord;
  readonly #reading = new ReplyReading();
  readonly #events: EventsReading;

  constructor(record: ExchangeRecord) {
    this.#record = record;
    this.#events = new EventsReading(record.arena, record.splitter, this.#reading);
  }

  /** Reads on for a bounded time. @returns what the body is, once all of it has been read. */
  next(): BodyReading | undefined {
    const { head, arena, fault } = this.#record;
    const reading = this.#reading;
    const isReadable = head !== undefined && head.status >= 200 && head.codings.length === 0;
    if (!isReadable) return { form: "nothing", reading, body: "" };
    if (head.status > 299) return { form: "other", reading, body: textOf(arena) };
    if (!this.#events.read(EVENTS_AT_ONCE)) return undefined;
    // What was pending when the stream broke is half an event; only a clean end may lack its blank line.
    if (fault === null) this.#events.finish();
    return reading.eventCount > 0
      ? { form: "events", reading, body: "" }
      : readOther(reading, textOf(arena));
  }
}

/** Reads a body in one go. */
export function readBody(record: ExchangeRecord): BodyReading {
  const reader = new BodyReader(record);
  for (;;) {
    const body = reader.next();
    if (body !== undefined) return body;
  }
}

function readOther(reading: ReplyReading, body: string): BodyReading {
  const whole = asObject(parseJson(body));
  if (whole !== undefined) {
    reading.takeBody(whole);
    return { form: "json", reading, body };
  }
  return { form: saysNothing(body) ? "nothing" : "other", reading, body };
}

/** A line that says something: no comment, no field without data, not blank. */
const TELLING_LINE = /^(?!:|event:|id:|retry:)[^\r\n]*[^\s]/m;

/** Whether a body holds only what a stream says that has nothing to say; not split, it may be long. */
function saysNothing(body: string): boolean {
  return !TELLING_LINE.test(body);
}

function textOf(arena: Arena): string {
  return arena.bytes.toString("utf8", 0, arena.length);
}
