import type { RailDevice } from "../rail/rail-options.ts";
import { boxSegments } from "./box-segments.ts";
import type { SequenceLog } from "./token-log.ts";
import { otherEnergyJ, ownEnergyJ, type TruthSources } from "./truth-sources.ts";
import { UnknownInterval } from "./unknown-interval.ts";

/** What really went into the GPUs of the box from one time to another. */
export interface TruthEnergy {
  readonly startNs: string;
  readonly endNs: string;
  /** Joules that the engine's own work and idling took, on the GPUs that serve. */
  readonly servingJ: number;
  readonly devices: readonly (RailDevice & {
    /** All that went into the GPU, other programs' work too: what its sensor should show. */
    readonly energyJ: number;
  })[];
}

/** An interval on the machine's monotonic clock, in ns. */
export interface Interval {
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/**
 * Exact joules of an interval, by GPU.
 *
 * @throws {UnknownInterval} for one that is not wholly in the past, or that is forgotten.
 */
export function truthEnergy(sources: TruthSources, interval: Interval): TruthEnergy {
  const { startNs, endNs, nowNs } = relative(sources, interval, sources.history.firstNs ?? 0);
  let servingJ = 0;
  const devices = sources.devices.map((device) => {
    const ownJ = ownEnergyJ(sources, device, startNs, endNs, nowNs);
    servingJ += ownJ;
    return { ...device, energyJ: ownJ + otherEnergyJ(sources, device, startNs, endNs) };
  });
  return { ...shownInterval(interval), servingJ, devices };
}

/** Token events and tokens that were sent in an interval. @throws as `truthEnergy`. */
export function truthTokens(sources: TruthSources, interval: Interval): object {
  const { startNs, endNs } = relative(sources, interval, sources.tokenLog.knownFromNs);
  return { ...shownInterval(interval), ...sources.tokenLog.count(startNs, endNs) };
}

/** What each GPU of the box drew, piece by piece. @throws as `truthEnergy`. */
export function truthPower(sources: TruthSources, interval: Interval): object {
  const { startNs, endNs, nowNs } = relative(sources, interval, sources.history.firstNs ?? 0);
  const segments = boxSegments(sources, startNs, endNs, nowNs).map(
    ({ startNs, endNs, ...rest }) => ({
      startNs: absolute(sources, startNs),
      endNs: absolute(sources, endNs),
      ...rest,
    }),
  );
  return { ...shownInterval(interval), devices: sources.devices, segments };
}

/** Of one answer, so that it stays a text that can be written and read. */
const MOST_EVENTS_SHOWN = 200_000;

/**
 * Replies that are still known, with the send time of each of their token events: as many as one
 * answer holds. None at all means that there are no more.
 */
export function truthReplies(sources: TruthSources, fromId: number, limit: number): object {
  const { tokenLog } = sources;
  const replies: object[] = [];
  let events = 0;
  for (const sequence of tokenLog.sequences(fromId)) {
    events += sequence.sentNs.length;
    // At least one, however long it is.
    const hasRoom = replies.length === 0 || events <= MOST_EVENTS_SHOWN;
    if (replies.length >= limit || !hasRoom) break;
    replies.push(replyText(sources, sequence));
  }
  return { forgotten: tokenLog.forgotten, replies };
}

function replyText(
  sources: TruthSources,
  { arrivedNs, sentNs, dueNs, end, ...rest }: SequenceLog,
): object {
  const at = (ns: number): string => absolute(sources, ns);
  return {
    ...rest,
    ...(end !== undefined && { end }),
    arrivedNs: at(arrivedNs),
    sentNs: sentNs.map(at),
    dueNs: dueNs.map(at),
  };
}

/** @param knownFromNs - since the origin: from when on all is known. */
function relative({ originNs, catchUp }: TruthSources, interval: Interval, knownFromNs: number) {
  const nowNs = catchUp();
  const startNs = Number(interval.startNs - originNs);
  const endNs = Number(interval.endNs - originNs);
  const problem = problemOf({ startNs, endNs }, knownFromNs, nowNs);
  if (problem === undefined) return { startNs, endNs, nowNs };
  const known = {
    startNs: originNs + BigInt(Math.ceil(knownFromNs)),
    endNs: originNs + BigInt(Math.floor(nowNs)),
  };
  throw new UnknownInterval(problem, interval, known);
}

function problemOf(
  { startNs, endNs }: { readonly startNs: number; readonly endNs: number },
  knownFromNs: number,
  nowNs: number,
): string | undefined {
  if (endNs < startNs) return "The interval ends before it begins";
  if (startNs < 0) return "The interval begins before the engine";
  if (startNs < knownFromNs) return "The interval begins in a time that is forgotten";
  return endNs > nowNs ? "The interval ends in the future" : undefined;
}

/** Whole ns as text: a JSON number could not hold them. */
function absolute({ originNs }: TruthSources, ns: number): string {
  return String(originNs + BigInt(Math.round(ns)));
}

function shownInterval({ startNs, endNs }: Interval) {
  return { startNs: String(startNs), endNs: String(endNs) };
}
