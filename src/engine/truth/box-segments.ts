import type { PowerSegment } from "../power/power-history.ts";
import { tenantChanges, tenantEdgesNs, tenantPowerW } from "../power/tenant.ts";
import type { TruthSources } from "./truth-sources.ts";

/** A time for which the power of every GPU of the box is constant. */
export interface BoxSegment {
  readonly startNs: number;
  readonly endNs: number;
  /** All that goes into each GPU, in the order of the box's devices. */
  readonly powerW: readonly number[];
  /** What of that the engine's own work and idling is; 0 for a GPU that does not serve. */
  readonly ownW: readonly number[];
  /** The limit holds the serving GPUs down. */
  readonly isCapped: boolean;
}

/** Of one answer, so that it stays a text that can be written and read. */
const MOST_SEGMENTS = 500_000;

/**
 * What the GPUs of the box drew in an interval, cut wherever any of them changed.
 *
 * @throws {RangeError} for an interval that is not wholly known, or has too many segments.
 */
export function boxSegments(
  sources: TruthSources,
  startNs: number,
  endNs: number,
  nowNs: number,
): readonly BoxSegment[] {
  const { history, tenants } = sources;
  const own = history.segments(startNs, endNs, nowNs);
  const most = tenants.reduce(
    (sum, { load }) => sum + tenantChanges(load, startNs, endNs),
    own.length,
  );
  if (most > MOST_SEGMENTS) {
    throw new RangeError(
      `the interval has about ${Math.round(most)} segments of constant power; ask for a shorter one, with up to ${MOST_SEGMENTS}`,
    );
  }
  const edges = tenants.flatMap(({ load }) => tenantEdgesNs(load, startNs, endNs));
  const cuts = [...new Set(edges)].sort((a, b) => a - b);
  let next = 0;
  return own.flatMap((segment) => {
    const pieces: BoxSegment[] = [];
    let fromNs = segment.startNs;
    for (; next < cuts.length && cuts[next]! < segment.endNs; next++) {
      const atNs = cuts[next]!;
      if (atNs > fromNs) pieces.push(piece(sources, segment, fromNs, atNs));
      fromNs = atNs;
    }
    return [...pieces, piece(sources, segment, fromNs, segment.endNs)];
  });
}

function piece(
  { devices, tenants, idleW }: TruthSources,
  own: PowerSegment,
  startNs: number,
  endNs: number,
): BoxSegment {
  const middleNs = (startNs + endNs) / 2;
  const ofServing = [...own.powerW];
  const ownW = devices.map(({ serves }) => (serves ? ofServing.shift()! : 0));
  const powerW = devices.map(({ index, serves }, place) =>
    tenants
      .filter((tenant) => tenant.index === index)
      .reduce((sum, { load }) => sum + tenantPowerW(load, middleNs), serves ? ownW[place]! : idleW),
  );
  return { startNs, endNs, powerW, ownW, isCapped: own.isCapped };
}
