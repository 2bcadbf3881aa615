import { Distribution } from "../stats/distribution.ts";
import type { ErrorOutcome, RequestErrorKind } from "../stream/request-outcome.ts";
import type { UnjudgedHealth } from "./generator-health.ts";
import type { Ended } from "./messages.ts";

/** How many requests ended in which way. */
export interface LoadCounts {
  readonly ended: number;
  readonly ok: number;
  readonly failed: number;
  /** Failed requests by the kind of their error. */
  readonly failedByKind: Readonly<Partial<Record<RequestErrorKind, number>>>;
  /** Ended by the caller's signal; they are among the failed. */
  readonly cancelled: number;
  readonly tokenEvents: number;
  /** Requests that opened a connection, and those sent over one used before. */
  readonly connectionsOpened: number;
  readonly connectionsReused: number;
}

/** How a run is going that gets no more answers. */
export interface FailuresInARow {
  readonly inARow: number;
  /** The last ones of them found no connection at all. */
  readonly unconnectedInARow: number;
  /** The last request to end, where it failed. */
  readonly last?: LastFailure;
}

/** How the last request of a run failed. */
export interface LastFailure {
  readonly errorKind: RequestErrorKind;
  readonly message: string;
}

/** Counts the requests of a run as they end; memory does not grow with them. */
export class LoadTally {
  readonly #failedByKind: Partial<Record<RequestErrorKind, number>> = {};
  readonly #sendLagMs = new Distribution();
  #ok = 0;
  #failed = 0;
  #tokenEvents = 0;
  #sharedReadEvents = 0;
  #opened = 0;
  #reused = 0;
  #lastSentMs: number | undefined;
  #failedInARow = 0;
  #unconnectedInARow = 0;
  #lastFailure: LastFailure | undefined;

  add({ outcome, sendLagMs }: Ended): void {
    if (outcome.state === "ok") {
      this.#ok++;
      this.#failedInARow = 0;
      this.#unconnectedInARow = 0;
      this.#lastFailure = undefined;
    } else this.#addFailure(outcome);
    this.#tokenEvents += outcome.tokenEventCount;
    this.#sharedReadEvents += outcome.sharedReadEventCount;
    if (outcome.reusedConnection) this.#reused++;
    else if (outcome.connectedMs !== null) this.#opened++;
    if (sendLagMs !== null) this.#sendLagMs.add(sendLagMs);
    if (outcome.sentMs !== null)
      this.#lastSentMs = Math.max(this.#lastSentMs ?? outcome.sentMs, outcome.sentMs);
  }

  get ok(): number {
    return this.#ok;
  }

  /** Failures since a request last ended well, in the order in which they ended. */
  get failures(): FailuresInARow {
    return {
      inARow: this.#failedInARow,
      unconnectedInARow: this.#unconnectedInARow,
      ...(this.#lastFailure === undefined ? {} : { last: this.#lastFailure }),
    };
  }

  /** When the last request was sent; `undefined` before one was. */
  get lastSentMs(): number | undefined {
    return this.#lastSentMs;
  }

  counts(): LoadCounts {
    return {
      ended: this.#ok + this.#failed,
      ok: this.#ok,
      failed: this.#failed,
      failedByKind: { ...this.#failedByKind },
      cancelled: this.#failedByKind.cancelled ?? 0,
      tokenEvents: this.#tokenEvents,
      connectionsOpened: this.#opened,
      connectionsReused: this.#reused,
    };
  }

  /** What the requests tell of the generator. */
  health(): Pick<UnjudgedHealth, "sendLagMs" | "sharedReadShare"> {
    const { n, max, percentiles } = this.#sendLagMs.summary();
    const { p50, p99 } = percentiles;
    return {
      sendLagMs: {
        n,
        ...(p50 === undefined ? {} : { p50 }),
        ...(p99 === undefined ? {} : { p99 }),
        ...(max === undefined ? {} : { max }),
      },
      ...(this.#tokenEvents === 0
        ? {}
        : { sharedReadShare: this.#sharedReadEvents / this.#tokenEvents }),
    };
  }

  #addFailure({ errorKind, errorMessage }: ErrorOutcome): void {
    this.#failed++;
    this.#failedByKind[errorKind] = (this.#failedByKind[errorKind] ?? 0) + 1;
    this.#failedInARow++;
    this.#unconnectedInARow = errorKind === "connect_failed" ? this.#unconnectedInARow + 1 : 0;
    this.#lastFailure = { errorKind, message: errorMessage };
  }
}
