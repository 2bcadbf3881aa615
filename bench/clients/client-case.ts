import { ThreadWatch } from "../../src/load/thread-usage.ts";

/** What a client is asked to read: so many streams at once, from the instant server. */
export interface ClientCase {
  readonly url: string;
  readonly streams: number;
  readonly eventsPerStream: number;
  readonly everyMs: number;
  readonly phase: "together" | "spread";
}

/** What it took, by its own clock; CPU is that of its whole process. */
export interface ClientResult {
  readonly events: number;
  readonly wallS: number;
  readonly cpuS: number;
  /** CPU of the thread that reads, where it is one of several. */
  readonly threadCpuS?: number;
  readonly stampP50Ms: number;
  readonly stampP99Ms: number;
  readonly loopDelayP99Ms: number;
}

/** The tokens of one stream as they came: their texts, and when each arrived. */
export interface ReadStream {
  readonly texts: readonly string[];
  readonly atMs: readonly number[];
}

/** Reads one streamed reply with some HTTP client. */
export type StreamReader = (url: string, body: string) => Promise<ReadStream>;

/** Events of each stream before anything is measured: connections are open then, code compiled. */
const WARM_UP_EVENTS = 50;

/** Milliseconds of the clock that the server stamps with. */
export function stampMs(): number {
  const [s, ns] = process.hrtime();
  return s * 1000 + ns / 1e6;
}

/** The text of a token event's data. */
export function textOf(data: string): string {
  if (data === "[DONE]") return "";
  const chunk = JSON.parse(data) as { choices: { delta: { content?: string } }[] };
  return chunk.choices[0]?.delta.content ?? "";
}

/** Plays the case that this process was started with, and prints what came of it. */
export async function playCase(read: StreamReader): Promise<void> {
  const one = JSON.parse(process.argv[2]!) as ClientCase;
  await readAll(read, one, WARM_UP_EVENTS);
  const watch = new ThreadWatch();
  watch.start();
  tell("start");
  const before = process.cpuUsage();
  const startMs = stampMs();
  const streams = await readAll(read, one, one.eventsPerStream);
  const wallS = (stampMs() - startMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  const { loopLagsMs } = watch.usage();
  tell("end", {
    wallS,
    cpuS: (user + system) / 1e6,
    ...stampErrors(streams),
    loopDelayP99Ms: quantile([...loopLagsMs], 0.99),
  });
  process.exit(0);
}

function readAll(read: StreamReader, one: ClientCase, events: number): Promise<ReadStream[]> {
  const url = `${one.url}/v1/chat/completions`;
  const body = JSON.stringify(requestOf(one, events));
  return Promise.all(Array.from({ length: one.streams }, () => read(url, body)));
}

function requestOf({ everyMs, phase }: ClientCase, events: number): object {
  return {
    model: "instant",
    messages: [{ role: "user", content: "bench" }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: events,
    instant: { every_ms: everyMs, phase },
  };
}

/** The line that whoever started this process waits for. */
export function tell(kind: "start" | "end", result: object = {}): void {
  console.log(JSON.stringify({ kind, ...result }));
}

/** Arrival stamps against the server's own, which are the texts of the tokens. */
export function stampErrors(
  streams: readonly ReadStream[],
): Pick<ClientResult, "events" | "stampP50Ms" | "stampP99Ms"> {
  const errorsMs = streams.flatMap(({ texts, atMs }) =>
    texts.map((text, i) => atMs[i]! - Number(text) / 1e6),
  );
  return {
    events: errorsMs.length,
    stampP50Ms: quantile(errorsMs, 0.5),
    stampP99Ms: quantile(errorsMs, 0.99),
  };
}

function quantile(values: number[], share: number): number {
  values.sort((a, b) => a - b);
  return values[Math.ceil(share * values.length) - 1] ?? Number.NaN;
}
