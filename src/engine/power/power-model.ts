import { noiseAt, seededRandom } from "../nvidia-smi/seeded-random.ts";
import type { PowerProfile } from "../profiles/engine-profile.ts";
import { GpuHeat } from "./gpu-heat.ts";
import type { GpuPower, GpuWork } from "./gpu-work.ts";
import { RAMP_SLICES, rampShare, workDemandW } from "./work-demand.ts";

/** Half-width by which GPUs of one kind differ, as a share. */
const GAIN_SPREAD = 0.02;

const NOISE_NS = 100e6;
const COOLING_NS = 1e9;
const NS_PER_MS = 1e6;

/**
 * What GPUs draw while they work, constant from each `begin` to the next.
 *
 * The same seed and the same sequence of `begin` give the same watts. All times are ns since the
 * engine's origin.
 */
export class PowerModel {
  readonly #power: PowerProfile;
  /** Of each GPU, around 1. */
  readonly #gains: readonly number[];
  readonly #random: () => number;
  readonly #heat: GpuHeat;
  /** Of each GPU, between -1 and 1. */
  #noise: readonly number[];
  #noiseAtNs = Number.NEGATIVE_INFINITY;
  #work: GpuWork = { kind: "idle" };
  #atNs = Number.NEGATIVE_INFINITY;
  /** Share of the way from idle to the limit. */
  #load = 0;
  /** When the GPUs last began to work out of their sleep. */
  #wokeAtNs = 0;
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
   * against the warming is to be cut at `nextChangeNs`. Beginning the same work again is no new
   * step. GPUs that are held down by their limit draw just that, and `stretch` is the cube root of
   * what the hungriest would draw over the limit: power goes with the cube of the clock.
   *
   * @param atNs - not before the last call's.
   */
  begin(work: GpuWork, atNs: number): GpuPower {
    if (atNs < this.#atNs) {
      throw new RangeError(`power at ${atNs} ns asked after that at ${this.#atNs} ns`);
    }
    const { idleW, limitW } = this.#power;
    if (Number.isFinite(this.#atNs)) this.#heat.pass(atNs - this.#atNs, this.#load);
    this.#changeWork(work, atNs);
    this.#atNs = atNs;
    this.#drawNoise(atNs);
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
    const slice = Math.floor((Math.max(atNs, this.#atNs) - this.#wokeAtNs) / sliceNs) + 1;
    return slice > RAMP_SLICES.count ? undefined : Math.ceil(this.#wokeAtNs + slice * sliceNs);
  }

  #changeWork(work: GpuWork, atNs: number): void {
    if (work.kind === "idle" && this.#work.kind === "step") {
      this.#asleepAtNs = Math.ceil(atNs + this.#power.awakeMs * NS_PER_MS);
    }
    if (work.kind === "step" && this.#isAsleep(atNs)) this.#wokeAtNs = atNs;
    this.#work = work;
  }

  #isAsleep(atNs: number): boolean {
    return this.#work.kind === "idle" && atNs >= this.#asleepAtNs;
  }

  /** One draw for each GPU, and only where a segment begins: their order is that of segments. */
  #drawNoise(atNs: number): void {
    if (atNs - this.#noiseAtNs < NOISE_NS) return;
    this.#noise = this.#gains.map(() => this.#random() * 2 - 1);
    this.#noiseAtNs = atNs;
  }

  /** Of a GPU that is cold, quiet and like all others. */
  #nominalW(atNs: number): number {
    const { idleW, awakeW, rampMs } = this.#power;
    if (this.#work.kind === "idle") return this.#isAsleep(atNs) ? idleW : awakeW;
    const settledW = workDemandW(this.#power, this.#work);
    const share = rampShare((atNs - this.#wokeAtNs) / (rampMs * NS_PER_MS));
    return idleW + (settledW - idleW) * share;
  }
}
