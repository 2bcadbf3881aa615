import { EventBytes } from "../src/engine/instant/event-bytes.ts";
import { Arena } from "../src/stream/arena.ts";
import { buildOutcome } from "../src/stream/build-outcome.ts";
import { Exchange } from "../src/stream/exchange.ts";
import { RequestWatch } from "../src/stream/request-watch.ts";
import { median } from "./median.ts";

const EVENTS = 500;
const REPLIES = 100;
const ROUNDS = 7;

/** Time per event without any socket, in µs. */
export interface ParsingCost {
  readonly events: "alike" | "all different";
  /** Framing, copying, stamping, and the look for the end. */
  readonly readUs: number;
  /** Splitting, parsing, counting, judging. */
  readonly parseUs: number;
}

/** What a reply of 500 events costs to read and to parse, one event in a read. */
export function parsingCosts(): readonly ParsingCost[] {
  return [costOf("alike"), costOf("all different")];
}

function costOf(events: ParsingCost["events"]): ParsingCost {
  const bytes = new EventBytes(true);
  const reads = [
    bytes.head,
    ...Array.from({ length: EVENTS }, (_, i) => {
      const event = bytes.stamped(1);
      // Another id in every event, of the same length: no template fits the next one.
      const id = String(i).padStart(7, "0");
      return events === "alike" ? event : Buffer.from(event.toString().replace("instant", id));
    }),
    bytes.tail(EVENTS, true),
  ];
  const rounds = Array.from({ length: ROUNDS }, () => round(reads)).slice(2);
  return {
    events,
    readUs: median(rounds.map(([readUs]) => readUs)),
    parseUs: median(rounds.map(([, parseUs]) => parseUs)),
  };
}

function round(reads: readonly Buffer[]): readonly [number, number] {
  let readMs = 0;
  let parseMs = 0;
  for (let reply = 0; reply < REPLIES; reply++) {
    const startMs = performance.now();
    const record = readReply(reads);
    const readAtMs = performance.now();
    const { tokenEventCount } = buildOutcome(record, { keepText: true, redact: (text) => text });
    parseMs += performance.now() - readAtMs;
    readMs += readAtMs - startMs;
    if (tokenEventCount !== EVENTS) throw new Error(`${tokenEventCount} events were read`);
  }
  const perEventUs = 1000 / (REPLIES * EVENTS);
  return [readMs * perEventUs, parseMs * perEventUs];
}

function readReply(reads: readonly Buffer[]): Parameters<typeof buildOutcome>[0] {
  const arena = new Arena();
  const watch = new RequestWatch({ timeoutMs: 0, idleTimeoutMs: 0, signal: undefined }, 0);
  const exchange = new Exchange(arena, watch, () => undefined);
  for (const [i, bytes] of reads.entries()) exchange.onBytes(bytes, bytes.length, i);
  const facts = {
    dueMs: null,
    startedMs: 0,
    connectedMs: null,
    sentMs: 0,
    firstByteMs: 0,
    endMs: reads.length,
    networkReads: reads.length,
    reusedConnection: true,
    remoteAddress: null,
  };
  return { head: exchange.reader.head, arena, splitter: exchange.splitter, fault: null, facts };
}
