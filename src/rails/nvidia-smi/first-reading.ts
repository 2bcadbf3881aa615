import { nowMs } from "../../clock.ts";
import { RailUnreadableError } from "../../errors.ts";
import type { RailEvent } from "../source.ts";
import { explainOutput, shown } from "./explain-output.ts";
import { WAIT_LONGER } from "./one-shot.ts";

/** Waits for the first reading of each device, and says what came instead when none did. */
export class FirstReading {
  /**
   * Settles once: when each device has had a reading, or at the end of the time when any has; with
   * an error when none has by then, or the child has ended.
   */
  readonly arrived: Promise<void>;
  readonly #startedMs = nowMs();
  readonly #awaited: Set<string>;
  #resolve: () => void = () => undefined;
  #reject: (reason: unknown) => void = () => undefined;
  #hasReading = false;
  #rejected: readonly string[] = [];
  #rejectedCount = 0;

  /** @param deviceIds - those that can be expected to give one. */
  constructor(deviceIds: readonly string[], timeoutMs: number, signal: AbortSignal | undefined) {
    this.#awaited = new Set(deviceIds);
    const onAbort = (): void => this.#reject(signal?.reason);
    const timer = setTimeout(() => this.#timeIsUp(), timeoutMs);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.arrived = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    }).finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    });
    if (signal?.aborted) onAbort();
  }

  saw(event: RailEvent): void {
    if (event.kind === "ended") this.#fail(event.why, explainOutput(this.#said()).remedy);
    if (event.kind !== "read") return;
    this.#rejectedCount += event.rejected.length;
    this.#rejected = [...this.#rejected, ...event.rejected.slice(-5)].slice(-5);
    if (event.samples.length === 0) return;
    this.#hasReading = true;
    for (const { device } of event.samples) this.#awaited.delete(device ?? "");
    if (this.#awaited.size === 0) this.#resolve();
  }

  #timeIsUp(): void {
    // A device that is late is told of by the windows that lack it.
    if (this.#hasReading) this.#resolve();
    else {
      const remedy = this.#rejectedCount > 0 ? explainOutput(this.#said()).remedy : WAIT_LONGER;
      this.#fail("no reading came", remedy);
    }
  }

  #said(): string {
    return this.#rejected.join("\n");
  }

  #fail(what: string, remedy: string): void {
    const waitedS = ((nowMs() - this.#startedMs) / 1000).toFixed(1);
    const lines =
      this.#rejectedCount === 0
        ? "it printed no line"
        : `${this.#rejectedCount} ${this.#rejectedCount === 1 ? "line was" : "lines were"} rejected, the last one “${shown(this.#rejected.at(-1) ?? "", 120)}”`;
    this.#reject(new RailUnreadableError(`${what} (waited ${waitedS} s; ${lines})`, remedy));
  }
}
