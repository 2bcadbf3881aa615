import type { RequestOutcome } from "../stream/request-outcome.ts";
import type { TargetParts } from "../target/target.ts";
import type { WorkloadSpec } from "../workloads/workload-spec.ts";
import type { ThreadUsage } from "./generator-health.ts";
import type { RequestSettings } from "./request-body.ts";

/** What a load thread is started with. SECRET: it holds the target's key. */
export interface ThreadSetup {
  readonly target: TargetParts;
}

/** One run's share of a thread, as plain data. */
export interface RunOrder {
  readonly kind: "run";
  readonly workload: WorkloadSpec;
  readonly settings: RequestSettings;
  readonly timeoutMs?: number;
  readonly idleTimeoutMs?: number;
  readonly keepText: boolean;
  /** Numbers of requests are taken from here. */
  readonly shared: SharedArrayBuffer;
  readonly total: number;
  /** When the run starts, on the run's clock. */
  readonly startMs: number;
  readonly loop: ThreadLoop;
}

/** A thread's part of the plan. */
export type ThreadLoop =
  | { readonly kind: "closed"; readonly slots: number; readonly untilMs?: number }
  | {
      readonly kind: "open";
      /** Numbers of the requests that are this thread's, and when each is due from the start. */
      readonly indexes: Int32Array;
      readonly dueMs: Float64Array;
    };

export type ToThread =
  | RunOrder
  | { readonly kind: "cancel" }
  | { readonly kind: "usage" }
  | { readonly kind: "close" };

/** A request that has ended. */
export interface Ended {
  /** Its number in the workload. */
  readonly index: number;
  /** How long after it was free to be sent it was: after its due time, or after the slot's last reply. */
  readonly sendLagMs: number | null;
  readonly outcome: RequestOutcome;
}

export type FromThread =
  | { readonly kind: "ready" }
  | { readonly kind: "ended"; readonly requests: readonly Ended[] }
  | { readonly kind: "usage"; readonly usage: ThreadUsage }
  | { readonly kind: "done" }
  | { readonly kind: "failed"; readonly message: string };
