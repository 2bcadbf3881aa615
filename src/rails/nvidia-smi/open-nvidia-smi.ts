import { JoulemarkError } from "../../errors.ts";
import { type RailGain, withGain } from "../rail-gain.ts";
import { RailSampler } from "../sampler.ts";
import type { RailEvent, RailFacts } from "../source.ts";
import { FirstReading } from "./first-reading.ts";
import type { OneShotOptions } from "./one-shot.ts";
import { probe } from "./probe.ts";
import { railFacts } from "./rail-facts.ts";
import { selectDevices } from "./select-devices.ts";
import { ThreadFeed } from "./thread-feed.ts";

export interface NvidiaSmiOptions {
  /** The program; default `nvidia-smi`, looked up in PATH. */
  readonly path?: string;
  /** How long nvidia-smi waits between ticks, in whole ms, at least 1; default 250. */
  readonly periodMs?: number;
  /** Which GPUs, by index or uuid; default all. */
  readonly devices?: readonly string[];
  /** What the readings of calibrated cards are multiplied with; default nothing. */
  readonly gain?: RailGain;
  /** How long after a change of load readings still tell of the time before, in ms; default what
   * the sensor's averaging time asks for. `window()` waits that long past the end. */
  readonly settleMs?: number;
  /** How long an answer, and then the first reading, may take, in ms; default 3000. */
  readonly startTimeoutMs?: number;
  /** Told of everything that happens on the rail, in order. It must not throw. */
  readonly onEvent?: (event: RailEvent) => void;
  readonly signal?: AbortSignal;
}

/** The longest period that nvidia-smi takes, in ms: a signed 32-bit number. */
const LONGEST_PERIOD_MS = 2_147_483_647;

/**
 * Opens the GPU rail: finds the best power field that the GPUs have, and starts one long-lived
 * `nvidia-smi` whose readings are stamped in a thread of their own.
 *
 * @returns a sampler that has its first reading; `stop()` it.
 * @throws {RailUnreadableError} with the reason and the remedy.
 * @throws {JoulemarkError} `bad_option` for a period or a device that cannot be.
 */
export async function openNvidiaSmi(options: NvidiaSmiOptions = {}): Promise<RailSampler> {
  const { path = "nvidia-smi", periodMs = 250, startTimeoutMs = 3000, signal } = options;
  checkOptions({ ...options, path, periodMs, startTimeoutMs });
  const oneShot: OneShotOptions = { path, timeoutMs: startTimeoutMs, signal };
  const found = await probe(oneShot, options.devices);
  const chosen = selectDevices(found.devices, options.devices);
  const devices = withGain(chosen, options.gain, found.devices);
  const facts = railFacts({ ...found, devices }, periodMs);
  const isSubset = devices.length < found.devices.length;
  return startSampler(facts, { ...options, path, startTimeoutMs, isSubset });
}

async function startSampler(
  facts: RailFacts,
  options: NvidiaSmiOptions & { path: string; startTimeoutMs: number; isSubset: boolean },
): Promise<RailSampler> {
  const start = new FirstReading(readable(facts), options.startTimeoutMs, options.signal);
  const take = (event: RailEvent): void => {
    options.onEvent?.(event);
    sampler.accept(event);
    start.saw(event);
  };
  const feed = ThreadFeed.start(
    {
      path: options.path,
      columns: facts.fields,
      periodMs: facts.periodMs,
      devices: facts.devices,
      isSubset: options.isSubset,
    },
    take,
  );
  const sampler = new RailSampler(facts, feed, options.settleMs);
  try {
    await start.arrived;
    return sampler;
  } catch (error) {
    await sampler.stop();
    throw error;
  }
}

/** The devices from which a reading can be expected. */
function readable({ devices, silentDevices }: RailFacts): readonly string[] {
  return devices.map(({ id }) => id).filter((id) => !silentDevices.includes(id));
}

function checkOptions(options: {
  readonly path: string;
  readonly periodMs: number;
  readonly startTimeoutMs: number;
  readonly settleMs?: number;
}): void {
  const { path, periodMs, startTimeoutMs, settleMs = 0 } = options;
  if (path === "") throw badOption("the nvidia-smi program", path, "a path, or a name in PATH");
  if (!Number.isInteger(periodMs) || periodMs < 1 || periodMs > LONGEST_PERIOD_MS)
    throw badOption("the sample period", `${periodMs} ms`, "a whole number of ms from 1 on");
  if (!(startTimeoutMs > 0 && startTimeoutMs <= LONGEST_PERIOD_MS))
    throw badOption("the time to start", `${startTimeoutMs} ms`, "more than 0 ms");
  if (!(settleMs >= 0 && Number.isFinite(settleMs)))
    throw badOption("the settle time", `${settleMs} ms`, "0 ms or more");
}

function badOption(what: string, value: string, right: string): JoulemarkError {
  return new JoulemarkError("bad_option", `${what} cannot be “${value}”: give ${right}`);
}
