/** Joules of each GPU since the engine started, as the counter of a GPU has them. */
export class EnergyTotals {
  readonly #totalsJ: number[];
  #powerW: readonly number[];
  #atNs = 0;

  constructor(gpuCount: number) {
    this.#totalsJ = Array.from({ length: gpuCount }, () => 0);
    this.#powerW = this.#totalsJ.map(() => 0);
  }

  /** From `atNs` on the GPUs draw this. */
  append(atNs: number, powerW: readonly number[]): void {
    for (const [gpu, totalJ] of this.at(atNs).entries()) this.#totalsJ[gpu] = totalJ;
    this.#powerW = [...powerW];
    this.#atNs = atNs;
  }

  /** By GPU. @param nowNs - not before the last `append`. */
  at(nowNs: number): readonly number[] {
    const passedS = (nowNs - this.#atNs) / 1e9;
    return this.#totalsJ.map((totalJ, gpu) => totalJ + this.#powerW[gpu]! * passedS);
  }
}
