/** Tokens that arrived lately, for the screen: a rate over the last few seconds. */
export class TokenRate {
  readonly #spanMs: number;
  /** Ends of requests and their tokens, in order. */
  #ends: { readonly atMs: number; readonly tokens: number }[] = [];

  constructor(spanMs = 5000) {
    this.#spanMs = spanMs;
  }

  add(atMs: number, tokens: number): void {
    this.#ends.push({ atMs, tokens });
    if (this.#ends.length > 4096) this.#forget(atMs);
  }

  /** `undefined` before the first request has ended. */
  perS(nowMs: number): number | undefined {
    this.#forget(nowMs);
    if (this.#ends.length === 0) return undefined;
    const tokens = this.#ends.reduce((sum, end) => sum + end.tokens, 0);
    return tokens / (this.#spanMs / 1000);
  }

  #forget(nowMs: number): void {
    const first = this.#ends.findIndex(({ atMs }) => atMs > nowMs - this.#spanMs);
    this.#ends.splice(0, first < 0 ? this.#ends.length : first);
  }
}
