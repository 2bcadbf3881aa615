import { nowMs } from "../../clock.ts";
import { RailUnreadableError } from "../../errors.ts";
import type { RailEvent } from "../source.ts";
import { explainOutput } from "./explain-output.ts";
import { WAIT_LONGER } from "./one-shot.ts";

/** Waits for the first reading of a rail, and says what came instead when none did. */
export class FirstReading {
  /** Settles once: with the first reading, at the child's end, or when the time is over. */
  readonly arrived: Promise<void>;
  readonly #startedMs = nowMs();
  #resolve: () => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;
  #rejected: readonly string[] = [];
  #rejectedCount = 0;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    const onAbort = (): void => this.#reject(signal?.reason);
    const timer = setTimeout(() => this.#fail("no reading came", WAIT_LONGER), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.arrived = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    }).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    });
  }

  saw(event: RailEvent): void {
    if (event.kind === "ended") this.#fail(event.why, explainOutput(this.#said()).remedy);
    if (event.kind !== "read") return;
    this.#rejectedCount += event.rejected.length;
    this.#rejected = [...this.#rejected, ...event.rejected].slice(-5);
    if (event.samples.length > 0) this.#resolve();
  }

  #said(): string {
    return this.#rejected.join("\n");
  }

  #fail(what: string, remedy: string): void {
    const waitedS = ((nowMs() - this.#startedMs) / 1000).toFixed(1);
    const lines =
      this.#rejectedCount === 0
        ? "it printed no line"
        : `${this.#rejectedCount} lines were rejected, the last one “${this.#rejected.at(-1)?.slice(0, 120)}”`;
    this.#reject(new RailUnreadableError(`${what} (waited ${waitedS} s; ${lines})`, remedy));
  }
}
