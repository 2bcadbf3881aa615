import type { PowerSample } from "../../energy/power-sample.ts";

/** A reading is missed when none came for this many ticks. */
const TICKS = 3;

/** How much the latest interval counts in what is taken as the usual one. */
const SMOOTHING = 0.2;

/**
 * Notices that a device, or all of them, gives no reading any more.
 *
 * What counts as too long is 3 ticks as they really come, which is longer than asked for: the
 * source waits the period and then reads its devices one after the other.
 */
export class StallWatch {
  readonly #lastMs: Map<string, number>;
  readonly #stalled = new Set<string>();
  readonly #onStall: (device: string | undefined) => void;
  readonly #periodMs: number;
  #tickMs: number;
  #lastTickMs: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    deviceIds: readonly string[],
    periodMs: number,
    onStall: (device: string | undefined) => void,
  ) {
    this.#lastMs = new Map(deviceIds.map((id) => [id, Number.NaN]));
    this.#periodMs = periodMs;
    this.#tickMs = periodMs;
    this.#onStall = onStall;
  }

  /** Takes note of the readings of one read; an empty one changes nothing but the devices' ages. */
  saw(samples: readonly PowerSample[], atMs: number): void {
    for (const { device } of samples) {
      if (device === undefined) continue;
      this.#lastMs.set(device, atMs);
      this.#stalled.delete(device);
    }
    if (samples.length > 0) {
      this.#followTick(atMs);
      this.#arm();
    }
    this.#checkDevices(atMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  get #patienceMs(): number {
    return TICKS * Math.max(this.#periodMs, this.#tickMs);
  }

  #followTick(atMs: number): void {
    const gapMs = atMs - (this.#lastTickMs ?? atMs);
    this.#lastTickMs = atMs;
    // Rows of one tick may come in several reads, and a long silence is not the usual interval.
    if (gapMs < this.#periodMs / 2 || gapMs > this.#patienceMs) return;
    this.#tickMs += SMOOTHING * (gapMs - this.#tickMs);
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      // A timer comes before the reads that wait in the same turn: let those go first.
      const seenMs = this.#lastTickMs;
      setImmediate(() => {
        if (seenMs === this.#lastTickMs) this.#allStalled();
      });
    }, this.#patienceMs);
  }

  #allStalled(): void {
    for (const device of this.#lastMs.keys()) this.#stalled.add(device);
    this.#onStall(undefined);
  }

  #checkDevices(atMs: number): void {
    for (const [device, lastMs] of this.#lastMs) {
      if (Number.isNaN(lastMs)) this.#lastMs.set(device, atMs);
      else if (atMs - lastMs > this.#patienceMs && !this.#stalled.has(device)) {
        this.#stalled.add(device);
        this.#onStall(device);
      }
    }
  }
}
