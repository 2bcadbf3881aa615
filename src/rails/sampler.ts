import { nowMs } from "../clock.ts";
import { applyGain } from "../energy/apply-gain.ts";
import type { EnergyWindow } from "../energy/energy-window.ts";
import { samplesInside } from "../energy/integrate.ts";
import { judgeIdle } from "../energy/judge-idle.ts";
import { isQuiet } from "../energy/judge-quiet.ts";
import { idleLevel } from "../energy/judge-response.ts";
import type { PowerSample } from "../energy/power-sample.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import { settleMs } from "../energy/sensor.ts";
import { sumDevices } from "../energy/sum-devices.ts";
import { JoulemarkError } from "../errors.ts";
import { type DeviceSeries, deviceLabel, judgeWindow } from "./judge-window.ts";
import { type IdleLevels, loadResponse, type WindowFindings } from "./load-response.ts";
import { ReadingStore } from "./reading-store.ts";
import type { RailEvent, RailFacts, RailFeed, RailWindow } from "./source.ts";

/** How long a reading is kept at least, in ms, where nobody holds it for longer. */
const RETAIN_MS = 3_600_000;

/** How far around a window readings are looked at, in ms and in sample periods: the longer one. */
const MARGIN_MS = 10_000;
const MARGIN_PERIODS = 8;

/** Shortest idle baseline, in ms, and the readings that it is to have. */
const IDLE_MS = 2000;
const IDLE_READINGS = 8;
/** No baseline is made longer than this for the sake of its readings, in ms. */
const LONGEST_IDLE_MS = 20_000;

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
  /** Held readings are kept so far back too, so that a replay of all readings sees the same. */
  readonly #marginMs: number;
  readonly #stores: Map<string, ReadingStore>;
  readonly #gains: ReadonlyMap<string, number | undefined>;
  readonly #stalled = new Map<string, string>();
  readonly #waiters = new Set<Waiter>();
  readonly #holds = new Set<{ readonly fromMs: number }>();
  #ended: string | undefined;
  #isHeldStill = false;
  #stopping: Promise<SamplerCost> | undefined;

  /** @param feed - its events are to be given to `accept`. */
  constructor(facts: RailFacts, feed: RailFeed, settle?: number) {
    this.#facts = facts;
    this.#feed = feed;
    this.#settleMs = settle ?? settleMs(facts.sensor, facts.periodMs);
    this.#marginMs = Math.max(MARGIN_MS, MARGIN_PERIODS * facts.periodMs);
    this.#hasOwnSettle = settle !== undefined;
    this.#stores = new Map(facts.devices.map(({ id }) => [id, new ReadingStore(id)]));
    this.#gains = new Map(facts.devices.map(({ id, gain }) => [id, gain]));
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

  /** How far past the end of a window its readings must reach, in ms, to tell of all of it. */
  get reachMs(): number {
    const { sensor, periodMs } = this.facts;
    if (sensor.kind !== "average") return this.#settleMs;
    return Math.max(this.#settleMs, settleMs(sensor, periodMs));
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

  /**
   * Everything that is asked for in `use`, which must not wait, is of the readings of one moment: what
   * arrives meanwhile comes after it. So the same can be judged again from a log of the readings.
   */
  atOneMoment<T>(use: () => T): T {
    this.#drain();
    this.#isHeldStill = true;
    try {
      return use();
    } finally {
      this.#isHeldStill = false;
    }
  }

  /** The energy from `startMs` to `endMs` as the readings stand now. */
  judge(startMs: number, endMs: number, isWorking = true): RailWindow {
    this.#drain();
    return judgeWindow(this.#series(startMs, endMs), startMs, endMs, { ...this.facts, isWorking });
  }

  /** The latest reading of each device that has one. */
  latest(): readonly PowerSample[] {
    this.#drain();
    return [...this.#stores.values()].flatMap(({ last }) => (last === undefined ? [] : [last]));
  }

  /** One device's readings of this time, as far as they have come. */
  readings(device: string, startMs: number, endMs: number): readonly PowerSample[] {
    this.#drain();
    return this.#stores.get(device)?.around(startMs, endMs, 0) ?? [];
  }

  /** The plain integral of the readings so far; `undefined` when a device has none in the window. */
  windowNow(startMs: number, endMs: number): EnergyWindow | undefined {
    this.#drain();
    const series = this.#series(startMs, endMs).map(({ samples }) => samples);
    return sumDevices(series, startMs, endMs);
  }

  /**
   * Takes the idle baseline from now on: nothing may be in flight.
   *
   * @param options.durationMs - default the longest of 2 s, twice the averaging time, and eight
   *   readings (of these not more than 20 s).
   */
  async idleBaseline(
    options: { readonly durationMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<RailWindow> {
    const { durationMs = idleMs(this.facts), signal } = options;
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

  /** What each device drew in a quiet baseline; the readings of later windows are held to it. */
  idleLevels(startMs: number, endMs: number): IdleLevels {
    const levels = this.#series(startMs, endMs).flatMap(({ device, samples }) => {
      const level = idleLevel(samplesInside(samples, startMs, endMs));
      return level === undefined ? [] : [[device.id, level] as const];
    });
    return new Map(levels);
  }

  /** Whether the watts answered to a window in which the server worked. */
  loadResponse(levels: IdleLevels, startMs: number, endMs: number): WindowFindings {
    this.#drain();
    return loadResponse(this.#series(startMs, endMs), levels, startMs, endMs, this.facts);
  }

  /** Waits until the readings reach `atMs`, or the rail stalls. */
  async readingsUntil(atMs: number, signal?: AbortSignal): Promise<void> {
    await this.#until(() => this.#reaches(atMs), signal);
  }

  /**
   * Waits until the power of every device stands still, at most `withinMs`, or the rail stalls.
   *
   * @returns whether it does.
   */
  async quiet(withinMs: number, signal?: AbortSignal): Promise<boolean> {
    const untilMs = nowMs() + withinMs;
    await this.#until(() => this.#isQuiet() || this.#reaches(untilMs), signal);
    return this.#isQuiet();
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
      keepFromMs = Math.min(keepFromMs, fromMs - this.#marginMs);
    for (const sample of samples) {
      const id = sample.device ?? "";
      const store = this.#stores.get(id);
      if (store === undefined) continue;
      store.add(applyGain(sample, this.#gains.get(id)));
      store.dropBefore(keepFromMs);
      this.#stalled.delete(id);
    }
  }

  #series(startMs: number, endMs: number): DeviceSeries[] {
    return this.facts.devices.map((device) => {
      const store = this.#stores.get(device.id)!;
      return {
        device,
        samples: store.around(startMs, endMs, this.#marginMs),
        stalled: this.#ended ?? this.#stalled.get(device.id),
        droppedUntilMs: store.droppedUntilMs,
      };
    });
  }

  #isQuiet(): boolean {
    const { sensor, periodMs } = this.facts;
    return [...this.#stores.values()].every((store) => {
      const lastMs = store.lastAtMs ?? 0;
      return isQuiet(store.around(lastMs, lastMs, this.#marginMs), sensor, periodMs);
    });
  }

  /** Whether every device has a reading at or after `atMs`, or one of them gives none any more. */
  #reaches(atMs: number): boolean {
    if (this.#ended !== undefined || this.#stalled.size > 0) return true;
    return [...this.#stores.values()].every((store) => (store.lastAtMs ?? -1) >= atMs);
  }

  #drain(): void {
    if (!this.#isHeldStill) this.#feed.drain();
  }

  #wake(): void {
    for (const waiter of this.#waiters) if (waiter.isDone()) waiter.resolve();
  }

  async #until(isDone: () => boolean, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#drain();
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

/** How long an idle baseline is where nothing else is asked for, in ms. */
function idleMs({ sensor, periodMs }: RailFacts): number {
  const readingsMs = IDLE_READINGS * Math.max(periodMs, sensor.updateMs);
  return Math.max(IDLE_MS, 2 * sensor.averagingMs, Math.min(readingsMs, LONGEST_IDLE_MS));
}

function checkEdges(startMs: number, endMs: number): void {
  if (Number.isFinite(startMs) && Number.isFinite(endMs)) return;
  throw new JoulemarkError(
    "bad_option",
    `a window from ${startMs} to ${endMs} ms cannot be: give finite times of the run's clock`,
  );
}
