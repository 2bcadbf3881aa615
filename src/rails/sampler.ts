import { nowMs } from "../clock.ts";
import type { EnergyWindow } from "../energy/energy-window.ts";
import { samplesInside } from "../energy/integrate.ts";
import { judgeIdle } from "../energy/judge-idle.ts";
import type { PowerSample } from "../energy/power-sample.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import { settleMs } from "../energy/sensor.ts";
import { sumDevices } from "../energy/sum-devices.ts";
import { JoulemarkError } from "../errors.ts";
import { type DeviceSeries, deviceLabel, judgeWindow } from "./judge-window.ts";
import { ReadingStore } from "./reading-store.ts";
import type { RailEvent, RailFacts, RailFeed, RailWindow } from "./source.ts";

/** How long a reading is kept at least, in ms, where nobody holds it for longer. */
const RETAIN_MS = 3_600_000;

/** How far before a held time readings are kept, in ms: a window looks at those around it. */
const HOLD_MARGIN_MS = 10_000;

/** How many readings around a window are looked at: enough for the settle time of any sensor. */
const MARGIN = 64;

/** Shortest idle baseline, in ms. */
const IDLE_MS = 2000;

export interface WindowOptions {
  readonly signal?: AbortSignal;
  /** Whether the devices work in the window, so that their readings must move; default true. */
  readonly isWorking?: boolean;
}

interface Waiter {
  readonly isDone: () => boolean;
  readonly resolve: () => void;
}

/** An open rail: its readings since it was opened, and the energy of any window of them. */
export class RailSampler {
  #facts: RailFacts;
  readonly #feed: RailFeed;
  #settleMs: number;
  readonly #hasOwnSettle: boolean;
  readonly #stores: Map<string, ReadingStore>;
  readonly #stalled = new Map<string, string>();
  readonly #waiters = new Set<Waiter>();
  readonly #holds = new Set<{ readonly fromMs: number }>();
  #ended: string | undefined;
  #stopping: Promise<SamplerCost> | undefined;

  /** @param feed - its events are to be given to `accept`. */
  constructor(facts: RailFacts, feed: RailFeed, settle?: number) {
    this.#facts = facts;
    this.#feed = feed;
    this.#settleMs = settle ?? settleMs(facts.sensor, facts.periodMs);
    this.#hasOwnSettle = settle !== undefined;
    this.#stores = new Map(facts.devices.map(({ id }) => [id, new ReadingStore(id)]));
  }

  /** What is known of the rail by now. */
  get facts(): RailFacts {
    return this.#facts;
  }

  /**
   * A device was seen to average over another time than declared: what is judged from now on allows
   * for both. Of several times the one that is furthest from the declared stays.
   */
  noteAveraging(otherAveragingMs: number): void {
    const { sensor, periodMs } = this.#facts;
    const before = sensor.otherAveragingMs ?? sensor.averagingMs;
    const away = (ms: number): number => Math.abs(Math.log(ms / sensor.averagingMs));
    if (away(otherAveragingMs) <= away(before)) return;
    this.#facts = { ...this.#facts, sensor: { ...sensor, otherAveragingMs } };
    if (this.#hasOwnSettle) return;
    const longest = { ...sensor, averagingMs: otherAveragingMs };
    this.#settleMs = Math.max(this.#settleMs, settleMs(longest, periodMs));
  }

  /** How long after a change of load the readings still tell of the time before it, in ms. */
  get settleMs(): number {
    return this.#settleMs;
  }

  /**
   * The energy from `startMs` to `endMs`, when the readings reach past the end by the settle time,
   * or the rail stalls.
   *
   * @throws the signal's reason when it aborts first.
   * @throws {JoulemarkError} `bad_option` for edges that are not finite.
   */
  async window(startMs: number, endMs: number, options: WindowOptions = {}): Promise<RailWindow> {
    const { signal, isWorking = true } = options;
    checkEdges(startMs, endMs);
    await this.#until(() => this.#reaches(endMs + this.#settleMs), signal);
    return this.judge(startMs, endMs, isWorking);
  }

  /** The energy from `startMs` to `endMs` as the readings stand now. */
  judge(startMs: number, endMs: number, isWorking = true): RailWindow {
    this.#feed.drain();
    return judgeWindow(this.#series(startMs, endMs), startMs, endMs, { ...this.facts, isWorking });
  }

  /** The latest reading of each device that has one. */
  latest(): readonly PowerSample[] {
    this.#feed.drain();
    return [...this.#stores.values()].flatMap((store) => store.around(Infinity, Infinity, 1));
  }

  /** One device's readings of this time, as far as they have come. */
  readings(device: string, startMs: number, endMs: number): readonly PowerSample[] {
    this.#feed.drain();
    return this.#stores.get(device)?.around(startMs, endMs, 0) ?? [];
  }

  /** The plain integral of the readings so far; `undefined` when a device has none in the window. */
  windowNow(startMs: number, endMs: number): EnergyWindow | undefined {
    this.#feed.drain();
    const series = this.#series(startMs, endMs).map(({ samples }) => samples);
    return sumDevices(series, startMs, endMs);
  }

  /**
   * Takes the idle baseline from now on: nothing may be in flight.
   *
   * @param options.durationMs - default 2 s, or twice the averaging time where that is longer.
   */
  async idleBaseline(
    options: { readonly durationMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<RailWindow> {
    const { durationMs = Math.max(IDLE_MS, 2 * this.facts.sensor.averagingMs), signal } = options;
    const startMs = nowMs();
    const endMs = startMs + durationMs;
    // An idle baseline is not waited for past its end: whatever comes next may start at once.
    await this.#until(() => this.#reaches(endMs), signal);
    return this.judgeIdle(startMs, endMs);
  }

  /** An idle baseline as the readings stand now; it says so where they were not quiet. */
  judgeIdle(startMs: number, endMs: number): RailWindow {
    const idle = this.judge(startMs, endMs, false);
    if (idle.state === "refused") return idle;
    const restless = this.#series(startMs, endMs)
      .map(({ device, samples }) =>
        judgeIdle(samplesInside(samples, startMs, endMs), deviceLabel(device)),
      )
      .filter((reason) => reason !== undefined);
    return { ...idle, reasons: [...idle.reasons, ...restless] };
  }

  /** Waits until the readings reach `atMs`, or the rail stalls. */
  async readingsUntil(atMs: number, signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#reaches(atMs), signal);
  }

  /** Keeps every reading from `fromMs` on until the returned function is called. */
  hold(fromMs: number): () => void {
    const hold = { fromMs };
    this.#holds.add(hold);
    return () => this.#holds.delete(hold);
  }

  /** Ends the source; windows that lie before the end can still be asked for. */
  async stop(): Promise<SamplerCost> {
    this.#stopping ??= this.#feed.stop();
    const cost = await this.#stopping;
    this.#ended ??= "the sampler was stopped";
    this.#wake();
    return cost;
  }

  /** Takes in what the feed tells. */
  accept(event: RailEvent): void {
    if (event.kind === "read") this.#store(event);
    else if (event.kind === "stalled")
      for (const id of event.device === undefined ? this.#stores.keys() : [event.device])
        this.#stalled.set(id, event.why);
    else if (event.kind === "ended") this.#ended = event.why;
    this.#wake();
  }

  #store({ samples, atMs }: Extract<RailEvent, { kind: "read" }>): void {
    let keepFromMs = atMs - RETAIN_MS;
    for (const { fromMs } of this.#holds)
      keepFromMs = Math.min(keepFromMs, fromMs - HOLD_MARGIN_MS);
    for (const sample of samples) {
      const id = sample.device ?? "";
      const store = this.#stores.get(id);
      if (store === undefined) continue;
      store.add(sample);
      store.dropBefore(keepFromMs);
      this.#stalled.delete(id);
    }
  }

  #series(startMs: number, endMs: number): DeviceSeries[] {
    return this.facts.devices.map((device) => {
      const store = this.#stores.get(device.id)!;
      return {
        device,
        samples: store.around(startMs, endMs, MARGIN),
        stalled: this.#ended ?? this.#stalled.get(device.id),
        droppedUntilMs: store.droppedUntilMs,
      };
    });
  }

  /** Whether every device has a reading at or after `atMs`, or one of them gives none any more. */
  #reaches(atMs: number): boolean {
    if (this.#ended !== undefined || this.#stalled.size > 0) return true;
    return [...this.#stores.values()].every((store) => (store.lastAtMs ?? -1) >= atMs);
  }

  #wake(): void {
    for (const waiter of this.#waiters) if (waiter.isDone()) waiter.resolve();
  }

  async #until(isDone: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#feed.drain();
    if (isDone()) return;
    let waiter: Waiter | undefined;
    let onAbort: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        waiter = { isDone, resolve };
        this.#waiters.add(waiter);
        onAbort = () => reject(signal?.reason);
        signal?.addEventListener("abort", onAbort, { once: true });
      });
    } finally {
      if (waiter) this.#waiters.delete(waiter);
      if (onAbort) signal?.removeEventListener("abort", onAbort);
    }
  }
}

function checkEdges(startMs: number, endMs: number): void {
  if (Number.isFinite(startMs) && Number.isFinite(endMs)) return;
  throw new JoulemarkError(
    "bad_option",
    `a window from ${startMs} to ${endMs} ms cannot be: give finite times of the run's clock`,
  );
}
