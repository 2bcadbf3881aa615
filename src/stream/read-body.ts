import type { Arena } from "./arena.ts";
import type { ExchangeRecord } from "./exchange-record.ts";
import { asObject, parseJson } from "./json-value.ts";
import type { BodyForm } from "./judge-reply.ts";
import { ReplyReading } from "./read-reply.ts";

/** What the body turned out to be, and what it says. */
export interface BodyReading {
  readonly form: BodyForm;
  readonly reading: ReplyReading;
  readonly body: string;
}

/** Reads a body as what it is: events, one JSON object, or neither; its label may be wrong. */
export function readBody({ head, arena, splitter, fault }: ExchangeRecord): BodyReading {
  const reading = new ReplyReading();
  const isReadable = head !== undefined && head.status >= 200 && head.codings.length === 0;
  if (!isReadable) return { form: "nothing", reading, body: "" };
  if (head.status > 299) {
    return { form: "other", reading, body: textOf(arena) };
  }
  // What was pending when the stream broke is half an event; only a clean end may lack its blank line.
  if (fault === null) splitter.finish(arena.bytes, arena.length);
  else splitter.scan(arena.bytes, arena.length);
  reading.takeEvents(splitter.events, arena);
  if (reading.eventCount > 0) return { form: "events", reading, body: "" };
  const body = textOf(arena);
  const whole = asObject(parseJson(body));
  if (whole !== undefined) {
    reading.takeBody(whole);
    return { form: "json", reading, body };
  }
  // Comments and fields without data are what a stream says that has nothing to say.
  const isSilent = /^(?:(?::|event:|id:|retry:).*|\s*)$/;
  const isNothing = body.split(/\r\n|\r|\n/).every((line) => isSilent.test(line));
  return { form: isNothing ? "nothing" : "other", reading, body };
}

function textOf(arena: Arena): string {
  return arena.bytes.toString("utf8", 0, arena.length);
}
