/** What one load thread had used and seen up to a moment. */
export interface ThreadUsage {
  readonly atMs: number;
  /** CPU time of the thread, and time that it was ready to run but did not get a core, in ms. */
  readonly cpuMs?: number;
  readonly runQueueWaitMs?: number;
  /** Time that its event loop was busy, in ms. */
  readonly loopBusyMs: number;
  /** How late its timer came, in ms: the latest values, a bounded number of them. */
  readonly loopLagsMs: readonly number[];
}

/** What the generator itself cost and suffered in a window: whether it was what was measured. */
export interface GeneratorHealth {
  readonly windowS: number;
  readonly threads: readonly ThreadHealth[];
  /** Time that other guests of the machine took from its cores, as a share of one core. */
  readonly stealShare?: number;
  /** Requests sent later than they were free to be, in ms. */
  readonly sendLagMs: {
    readonly n: number;
    readonly p50?: number;
    readonly p99?: number;
    readonly max?: number;
  };
  /** Share of the token events that came in one read with another one, 0 to 1. */
  readonly sharedReadShare?: number;
  /** Whether the generator could have moved the result, and by what. */
  readonly isSaturated: boolean;
  readonly why: readonly string[];
}

/** One thread in a window. */
export interface ThreadHealth {
  /** CPU and run-queue wait as shares of the window; absent where procfs does not tell. */
  readonly cpuShare?: number;
  readonly runQueueWaitShare?: number;
  /** Share of the window that the event loop was busy. */
  readonly loopBusyShare: number;
  readonly loopLagP99Ms?: number;
  readonly loopLagMaxMs?: number;
}

/**
 * From where on the generator can have moved a result. An event loop that is busy for 85 % of the
 * time queues what arrives; 10 ms of lag are a good part of a token; a thread that waits for a core
 * a fifth of the time stamps late (measured: docs/method.md).
 */
const BUSY_SHARE = 0.85;
const LAG_P99_MS = 10;
const WAIT_SHARE = 0.2;
const SEND_LAG_P99_MS = 20;
const SHARED_READ_SHARE = 0.5;

/** What is known of a window, before it is judged. */
export type UnjudgedHealth = Omit<GeneratorHealth, "isSaturated" | "why">;

/** Judges whether the generator could have moved the result of a window. */
export function judgeGenerator(health: UnjudgedHealth): GeneratorHealth {
  const why: string[] = [];
  for (const [i, thread] of health.threads.entries()) {
    const { loopBusyShare, loopLagP99Ms = 0, runQueueWaitShare = 0 } = thread;
    if (loopBusyShare > BUSY_SHARE)
      why.push(`load thread ${i} was busy for ${percent(loopBusyShare)} of the time`);
    if (loopLagP99Ms > LAG_P99_MS)
      why.push(`load thread ${i} was ${loopLagP99Ms.toFixed(1)} ms late at p99`);
    if (runQueueWaitShare > WAIT_SHARE)
      why.push(`load thread ${i} waited for a core for ${percent(runQueueWaitShare)} of the time`);
  }
  const { sendLagMs, sharedReadShare = 0, threads } = health;
  if ((sendLagMs.p99 ?? 0) > SEND_LAG_P99_MS)
    why.push(`requests were sent ${sendLagMs.p99?.toFixed(1)} ms late at p99`);
  // Servers may put several events into one write: alone it says nothing of the client.
  const isBusy = threads.some(({ loopBusyShare }) => loopBusyShare > BUSY_SHARE / 2);
  if (sharedReadShare > SHARED_READ_SHARE && isBusy)
    why.push(`${percent(sharedReadShare)} of the token events came in one read with others`);
  return { ...health, isSaturated: why.length > 0, why };
}

/** A thread's health between two moments. */
export function threadHealth(before: ThreadUsage, after: ThreadUsage): ThreadHealth {
  const windowMs = after.atMs - before.atMs;
  const share = (from: number | undefined, to: number | undefined): number | undefined =>
    from === undefined || to === undefined ? undefined : (to - from) / windowMs;
  const cpuShare = share(before.cpuMs, after.cpuMs);
  const runQueueWaitShare = share(before.runQueueWaitMs, after.runQueueWaitMs);
  const lagsMs = after.loopLagsMs.toSorted((a, b) => a - b);
  const p99 = lagsMs[Math.ceil(lagsMs.length * 0.99) - 1];
  const max = lagsMs.at(-1);
  return {
    ...(cpuShare === undefined ? {} : { cpuShare }),
    ...(runQueueWaitShare === undefined ? {} : { runQueueWaitShare }),
    loopBusyShare: (after.loopBusyMs - before.loopBusyMs) / windowMs,
    ...(p99 === undefined || max === undefined ? {} : { loopLagP99Ms: p99, loopLagMaxMs: max }),
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
