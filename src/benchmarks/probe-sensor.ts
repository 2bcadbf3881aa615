import { setTimeout as sleep } from "node:timers/promises";
import { nowMs } from "../clock.ts";
import type { LoadTimes } from "../energy/measure-averaging.ts";
import { JoulemarkError, RailUnreadableError } from "../errors.ts";
import { LoadPool } from "../load/load-pool.ts";
import { placeOfTarget } from "../rails/local-target.ts";
import { openNvidiaSmi } from "../rails/nvidia-smi/open-nvidia-smi.ts";
import type { RailSampler } from "../rails/sampler.ts";
import { isConclusive, readSensors, type SensorProbe } from "../rails/sensor-probe.ts";
import type { Target } from "../target/target.ts";
import { type PreparedTarget, prepareTarget } from "./prepare-target.ts";
import { patience } from "./target-gone.ts";

export interface ProbeSensorOptions {
  /** Loaded for a few seconds; without one some other load is waited for. */
  readonly target?: Target;
  /** Overrides the finding whether the target runs on this machine. */
  readonly isLocal?: boolean;
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** How long to watch for a load, in ms. */
  readonly waitMs: number;
  readonly nvidiaSmiPath?: string;
  readonly devices?: readonly string[];
  readonly startTimeoutMs: number;
}

/** Several readings in each update of a sensor. */
const PERIOD_MS = 20;
/** Longer than the longest mean that is looked for. */
const QUIET_MS = 4500;
const LOAD_MS = 4000;
/** Enough to heat a GPU, and few enough for any server. */
const CONCURRENCY = 4;
const OUTPUT_TOKENS = 64;
const LOOK_EVERY_MS = 1000;
/** So far back readings count while a load is waited for, in ms. */
const WATCHED_MS = 20_000;

/**
 * Measures over what time a rail's sensors average, and how often they are renewed, by a step of
 * load.
 *
 * @param say - told what goes on.
 * @throws {RailUnreadableError} where there is nothing to read, {JoulemarkError} `target_failed`
 *   where the target does not answer; and the signal's reason.
 */
export async function probeSensor(
  options: ProbeSensorOptions,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<SensorProbe> {
  const { target, isLocal, extraBody = {}, nvidiaSmiPath, devices, startTimeoutMs } = options;
  const place = await placeOfTarget(target, isLocal, signal);
  if (place.state === "elsewhere")
    throw new RailUnreadableError(place.why, "probe where the target runs");
  const prepared =
    target && (await prepareTarget(target, { extraBody, hasFixedLength: true }, signal));
  const sampler = await openNvidiaSmi({
    periodMs: PERIOD_MS,
    startTimeoutMs,
    signal,
    ...(nvidiaSmiPath === undefined ? {} : { path: nvidiaSmiPath }),
    ...(devices === undefined ? {} : { devices }),
  });
  try {
    return prepared
      ? await loadAndRead(sampler, prepared, say, signal)
      : await watch(sampler, options.waitMs, say, signal);
  } finally {
    await sampler.stop();
  }
}

async function loadAndRead(
  sampler: RailSampler,
  prepared: PreparedTarget,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<SensorProbe> {
  const fromMs = nowMs();
  say(
    `quiet for ${QUIET_MS / 1000} s, then ${CONCURRENCY} requests at once for ${LOAD_MS / 1000} s`,
  );
  await sleep(QUIET_MS, undefined, { signal });
  const load = await loadOnce(prepared, signal);
  say("quiet again, to see the readings fall");
  await sleep(QUIET_MS, undefined, { signal });
  return { facts: sampler.facts, devices: readSensors(sampler, fromMs, load) };
}

async function loadOnce(
  { target, settings }: PreparedTarget,
  signal: AbortSignal,
): Promise<LoadTimes> {
  const pool = await LoadPool.open(target);
  try {
    const { startMs, endMs, counts, failure } = await pool.run({
      ...patience(CONCURRENCY),
      plan: { kind: "closed", concurrency: CONCURRENCY, durationMs: LOAD_MS },
      workload: { kind: "code", endpoint: target.endpoint, outputTokens: OUTPUT_TOKENS },
      settings,
      signal,
    });
    signal.throwIfAborted();
    if (counts.ok === 0)
      throw new JoulemarkError(
        "target_failed",
        `no request of the load ended well (${failure ?? "no reason told"}): without load there is no step to measure`,
      );
    return { startMs, endMs };
  } finally {
    await pool.close();
  }
}

/** Looks at the readings again and again until a step was clear, or the time is over. */
async function watch(
  sampler: RailSampler,
  waitMs: number,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<SensorProbe> {
  const untilMs = nowMs() + waitMs;
  say(
    `start any load on the GPU now, for a few seconds, and end it again: watching for ${waitMs / 1000} s`,
  );
  for (;;) {
    const leftMs = untilMs - nowMs();
    await sleep(Math.max(0, Math.min(LOOK_EVERY_MS, leftMs)), undefined, { signal });
    const devices = readSensors(sampler, nowMs() - WATCHED_MS);
    if (leftMs <= LOOK_EVERY_MS || devices.some(isConclusive))
      return { facts: sampler.facts, devices };
  }
}
