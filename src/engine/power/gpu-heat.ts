/** Less than this share more power than cold is taken for cold. */
const COLD_SHARE = 1e-4;

/**
 * How warm the GPUs are, from 0 (idle for long) to 1 (at their limit for long).
 *
 * First order: the heat follows the load with one time constant, up and down.
 */
export class GpuHeat {
  readonly #drift: number;
  readonly #timeConstantNs: number;
  #heat = 0;

  constructor(drift: number, timeConstantS: number) {
    this.#drift = drift;
    this.#timeConstantNs = timeConstantS * 1e9;
  }

  /** Lets time pass under a load between 0 (idle) and 1 (at the limit). */
  pass(durationNs: number, load: number): void {
    if (durationNs <= 0) return;
    this.#heat = load + (this.#heat - load) * Math.exp(-durationNs / this.#timeConstantNs);
    if (load === 0 && this.#heat * this.#drift < COLD_SHARE) this.#heat = 0;
  }

  /** What power is multiplied by: 1 for cold GPUs. */
  get factor(): number {
    return 1 + this.#drift * this.#heat;
  }

  get isCold(): boolean {
    return this.#heat * this.#drift < COLD_SHARE;
  }
}
