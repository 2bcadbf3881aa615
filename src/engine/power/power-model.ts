import { noiseAt, seededRandom } from "../nvidia-smi/seeded-random.ts";
import type { PowerProfile } from "../profiles/engine-profile.ts";
import { GpuHeat } from "./gpu-heat.ts";
import type { GpuPower, GpuWork } from "./gpu-work.ts";
import { RAMP_SLICES, rampShare, workDemandW } from "./work-demand.ts";

/** Half-width by which GPUs of one kind differ, as a share. */
const GAIN_SPREAD = 0.02;

/** In steps: idle time counts nothing, and a long step has one draw. */
const NOISE_NS = 100e6;
const COOLING_NS = 1e9;
const NS_PER_MS = 1e6;

/**
 * What GPUs draw while they work, constant from each `begin` to the next.
 *
 * Noise and ramp follow the time that was worked: the same seed and the same sequence of steps give
 * the same watts, whatever the pauses between them, as long as the GPUs sleep in the same ones. Only
 * warming follows the clock. All times are ns since the engine's origin.
 */
export class PowerModel {
  readonly #power: PowerProfile;
  /** Of each GPU, around 1. */
  readonly #gains: readonly number[];
  readonly #random: () => number;
  readonly #heat: GpuHeat;
  /** Of each GPU, between -1 and 1. */
  #noise: readonly number[];
  /** Time in steps since it was drawn. */
  #noisyNs = Number.POSITIVE_INFINITY;
  #work: GpuWork = { kind: "idle" };
  #atNs = Number.NEGATIVE_INFINITY;
  /** Share of the way from idle to the limit. */
  #load = 0;
  /** Time in steps since the GPUs last began to work out of their sleep. */
  #workedNs = 0;
  /** When they will be, or were, asleep after their last step. */
  #asleepAtNs = Number.NEGATIVE_INFINITY;

  constructor(power: PowerProfile, seed: number) {
    this.#power = power;
    this.#gains = Array.from(
      { length: power.gpuCount },
      (_, gpu) => 1 + GAIN_SPREAD * noiseAt(seed, gpu),
    );
    this.#noise = this.#gains.map(() => 0);
    this.#random = seededRandom(seed);
    this.#heat = new GpuHeat(power.thermalDrift, power.thermalS);
  }

  /**
   * What the GPUs draw from `atNs` on, until the next call.
   *
   * The values are those of the segment's start, so a segment that is long against the ramp or
   * against the warming is to be cut at `nextChangeNs`. Beginning the very same work again, the same
   * object, goes on with it and is no new step. GPUs that are held down by their limit draw just that, and `stretch` is the cube root of
   * what the hungriest would draw over the limit: power goes with the cube of the clock.
   *
   * @param atNs - not before the last call's.
   */
  begin(work: GpuWork, atNs: number): GpuPower {
    if (atNs < this.#atNs) {
      throw new RangeError(`power at ${atNs} ns asked after that at ${this.#atNs} ns`);
    }
    const { idleW, limitW } = this.#power;
    if (Number.isFinite(this.#atNs)) this.#pass(atNs - this.#atNs);
    const isNew = work !== this.#work;
    this.#changeWork(work, atNs);
    this.#atNs = atNs;
    if (isNew && work.kind === "step") this.#drawNoise();
    const nominalW = this.#nominalW(atNs);
    this.#load = Math.min(1, Math.max(0, (nominalW - idleW) / Math.max(limitW - idleW, 1e-9)));
    const noise = this.#isAsleep(atNs) ? 0 : this.#power.noise;
    const demandW = this.#gains.map(
      (gain, gpu) => nominalW * this.#heat.factor * gain * (1 + noise * this.#noise[gpu]!),
    );
    const mostW = Math.max(...demandW);
    return {
      powerW: demandW.map((powerW) => Math.min(powerW, limitW)),
      isCapped: mostW > limitW,
      stretch: work.kind === "step" && mostW > limitW ? Math.cbrt(mostW / limitW) : 1,
    };
  }

  /**
   * When the power next changes although the work does not: the end of being awake, a second of
   * cooling, a slice of the ramp.
   *
   * @returns a time not before `atNs`, or `undefined` when the power stays.
   */
  nextChangeNs(atNs: number): number | undefined {
    const next = this.#work.kind === "step" ? this.#nextOfRampNs(atNs) : this.#nextOfIdleNs();
    return next === undefined ? undefined : Math.max(next, atNs);
  }

  #nextOfIdleNs(): number | undefined {
    const changes = [
      ...(this.#asleepAtNs > this.#atNs ? [this.#asleepAtNs] : []),
      ...(this.#heat.isCold ? [] : [this.#atNs + COOLING_NS]),
    ];
    return changes.length === 0 ? undefined : Math.min(...changes);
  }

  #nextOfRampNs(atNs: number): number | undefined {
    const sliceNs = (this.#power.rampMs * NS_PER_MS) / RAMP_SLICES.perTimeConstant;
    if (sliceNs === 0) return undefined;
    const workedNs = this.#workedNs + Math.max(0, atNs - this.#atNs);
    const slice = Math.floor(workedNs / sliceNs) + 1;
    if (slice > RAMP_SLICES.count) return undefined;
    return this.#atNs + Math.ceil(slice * sliceNs - this.#workedNs);
  }

  #pass(durationNs: number): void {
    this.#heat.pass(durationNs, this.#load);
    if (this.#work.kind !== "step") return;
    this.#workedNs += durationNs;
    this.#noisyNs += durationNs;
  }

  #changeWork(work: GpuWork, atNs: number): void {
    if (work.kind === "idle" && this.#work.kind === "step") {
      this.#asleepAtNs = Math.ceil(atNs + this.#power.awakeMs * NS_PER_MS);
    }
    if (work.kind === "step" && this.#isAsleep(atNs)) this.#workedNs = 0;
    this.#work = work;
  }

  #isAsleep(atNs: number): boolean {
    return this.#work.kind === "idle" && atNs >= this.#asleepAtNs;
  }

  /** One draw for each GPU, and only where a step begins: their order is that of the steps. */
  #drawNoise(): void {
    if (this.#noisyNs < NOISE_NS) return;
    this.#noise = this.#gains.map(() => this.#random() * 2 - 1);
    this.#noisyNs = 0;
  }

  /** Of a GPU that is cold, quiet and like all others. */
  #nominalW(atNs: number): number {
    const { idleW, awakeW, rampMs } = this.#power;
    if (this.#work.kind === "idle") return this.#isAsleep(atNs) ? idleW : awakeW;
    const settledW = workDemandW(this.#power, this.#work);
    const share = rampShare(this.#workedNs / (rampMs * NS_PER_MS));
    return idleW + (settledW - idleW) * share;
  }
}
