import type { PowerHistory } from "../power/power-history.ts";
import type { TokenLog } from "./token-log.ts";

/** One GPU of the simulated box, as the truth knows it. */
export interface TruthDevice {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  /** Whether the engine runs on it. */
  readonly serves: boolean;
}

/** What really went into the GPUs of the box from one time to another. */
export interface TruthEnergy {
  readonly startNs: string;
  readonly endNs: string;
  /** Joules that the engine's own work and idling took, on the GPUs that serve. */
  readonly servingJ: number;
  readonly devices: readonly (TruthDevice & {
    /** All that went into the GPU, other programs' work too: what its sensor should show. */
    readonly energyJ: number;
  })[];
}

/** Where the truth comes from. */
export interface TruthSources {
  readonly originNs: bigint;
  readonly history: PowerHistory;
  readonly tokenLog: TokenLog;
  readonly devices: readonly TruthDevice[];
  /** Of a GPU that serves, its place among those; of others, `undefined`. */
  readonly servingPlace: (device: TruthDevice) => number | undefined;
  /** What others drew on a GPU; for one that does not serve, all that it drew. */
  readonly otherEnergyJ: (device: TruthDevice, startNs: number, endNs: number) => number;
  /** Does all that is due. @returns the time now, in ns since the origin. */
  readonly catchUp: () => number;
}

/** An interval on the machine's monotonic clock, in ns. */
export interface Interval {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/**
 * Exact joules of an interval, by GPU.
 *
 * @throws {RangeError} for an interval that is not wholly in the past, or that is forgotten.
 */
export function truthEnergy(sources: TruthSources, interval: Interval): TruthEnergy {
  const { startNs, endNs, nowNs } = relative(sources, interval);
  const { history, devices, servingPlace, otherEnergyJ } = sources;
  let servingJ = 0;
  const energies = devices.map((device) => {
    const place = servingPlace(device);
    const ownJ = place === undefined ? 0 : history.energyJ(place, startNs, endNs, nowNs);
    servingJ += ownJ;
    return { ...device, energyJ: ownJ + otherEnergyJ(device, startNs, endNs) };
  });
  return { ...shownInterval(interval), servingJ, devices: energies };
}

/** Token events and tokens that were sent in an interval. @throws {RangeError} as `truthEnergy`. */
export function truthTokens(sources: TruthSources, interval: Interval) {
  const { startNs, endNs } = relative(sources, interval);
  return { ...shownInterval(interval), ...sources.tokenLog.count(startNs, endNs) };
}

/** What the serving GPUs drew, piece by piece. @throws {RangeError} as `truthEnergy`. */
export function truthPower(sources: TruthSources, interval: Interval) {
  const { startNs, endNs, nowNs } = relative(sources, interval);
  const segments = sources.history.segments(startNs, endNs, nowNs).map((segment) => ({
    startNs: absolute(sources, segment.startNs),
    endNs: absolute(sources, segment.endNs),
    powerW: segment.powerW,
    isCapped: segment.isCapped,
  }));
  return { ...shownInterval(interval), segments };
}

/** Every reply that is still known, with the send time of each of its token events. */
export function truthReplies(sources: TruthSources, fromId: number, limit: number) {
  const { tokenLog } = sources;
  const at = (ns: number): string => absolute(sources, ns);
  return {
    forgotten: tokenLog.forgotten,
    replies: tokenLog
      .sequences(fromId)
      .slice(0, limit)
      .map(({ arrivedNs, sentNs, dueNs, end, ...rest }) => ({
        ...rest,
        ...(end !== undefined && { end }),
        arrivedNs: at(arrivedNs),
        sentNs: sentNs.map(at),
        dueNs: dueNs.map(at),
      })),
  };
}

function relative({ originNs, catchUp }: TruthSources, { startNs, endNs }: Interval) {
  const nowNs = catchUp();
  const relativeEndNs = Number(endNs - originNs);
  if (endNs < startNs) throw new RangeError("the interval ends before it begins");
  if (relativeEndNs > nowNs) throw new RangeError("the interval ends in the future");
  return { startNs: Number(startNs - originNs), endNs: relativeEndNs, nowNs };
}

/** Whole ns as text: a JSON number could not hold them. */
function absolute({ originNs }: TruthSources, ns: number): string {
  return String(originNs + BigInt(Math.round(ns)));
}

function shownInterval({ startNs, endNs }: Interval) {
  return { startNs: String(startNs), endNs: String(endNs) };
}
