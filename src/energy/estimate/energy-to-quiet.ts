import type { Joules } from "./joules.ts";
import type { PowerFit } from "./power-fit.ts";

/** The power beside a window where the readings show that it stood still there, in W. */
export interface QuietSides {
  readonly beforeW?: number;
  readonly afterW?: number;
  /** How often readings come, in ms. */
  readonly tickMs: number;
}

/** Joules of a window, and at which of its edges the power stood still. */
export interface FittedEnergy extends Joules {
  readonly isQuietBefore: boolean;
  readonly isQuietAfter: boolean;
  /** The same if what lies beyond an edge whose side stood still is the window's after all. */
  readonly ifQuiet?: Joules;
}

/** One edge of a window, and how far out the fit is looked at. */
interface Side {
  readonly quietW: number;
  readonly edgeMs: number;
  readonly outMs: number;
}

/** How far beyond a quiet edge a fit may put a change that happened inside, in ms, beside two ticks. */
const BLUR_MS = 300;
/** An edge is sharp to so many ms and this share of a tick. */
const SHARP_MS = 35;
const SHARP_TICKS = 0.1;
/** At so many moments inside the window the height of a change is looked at. */
const LOOKS = 8;

/**
 * The energy of a window by a fit whose edges are blurred.
 *
 * A load that begins just at a window's start begins a little before it and a little after it in the
 * fit, and what lies before would be lost. So where the power stood still beside the window, the fit
 * is taken to behind the blur, less that quiet power: all that rose above it belongs to the window.
 * Not so where more than the blur lies beyond the edge: then the load did begin before the window,
 * or the sensor is another one than declared, and `ifQuiet` is what it would be then.
 */
export function energyToQuiet(
  fit: PowerFit,
  startMs: number,
  endMs: number,
  { beforeW, afterW, tickMs }: QuietSides,
): FittedEnergy {
  const reachMs = BLUR_MS + 2 * tickMs;
  const sharpMs = SHARP_MS + SHARP_TICKS * tickMs;
  const isQuietBefore =
    beforeW !== undefined &&
    isBlur(fit, { quietW: beforeW, edgeMs: startMs, outMs: startMs - reachMs }, sharpMs);
  const isQuietAfter =
    afterW !== undefined &&
    isBlur(fit, { quietW: afterW, edgeMs: endMs, outMs: endMs + reachMs }, sharpMs);
  const reached = (beforeMs: number, afterMs: number): Joules => {
    const { meanJ, sdJ } = fit.energy(startMs - beforeMs, endMs + afterMs);
    const quietJ = ((beforeW ?? 0) * beforeMs + (afterW ?? 0) * afterMs) / 1000;
    return { meanJ: meanJ - quietJ, sdJ };
  };
  const found = reached(isQuietBefore ? reachMs : 0, isQuietAfter ? reachMs : 0);
  const isSure = (beforeW === undefined || isQuietBefore) && (afterW === undefined || isQuietAfter);
  return {
    ...found,
    isQuietBefore,
    isQuietAfter,
    ...(isSure
      ? {}
      : {
          ifQuiet: reached(beforeW === undefined ? 0 : reachMs, afterW === undefined ? 0 : reachMs),
        }),
  };
}

/** How far the power moves from the quiet within the blur inside the window, in W. */
function largestStepW(fit: PowerFit, { quietW, edgeMs, outMs }: Side): number {
  const inwardMs = (edgeMs - outMs) / LOOKS;
  let largestW = 0;
  for (let look = 1; look <= LOOKS; look++) {
    largestW = Math.max(largestW, Math.abs(fit.powerAtW(edgeMs + look * inwardMs) - quietW));
  }
  return largestW;
}

/** Whether what a fit puts beyond an edge is no more than a change at the edge itself would give. */
function isBlur(fit: PowerFit, side: Side, sharpMs: number): boolean {
  const { quietW, edgeMs, outMs } = side;
  const { meanJ, sdJ } = fit.energy(Math.min(edgeMs, outMs), Math.max(edgeMs, outMs));
  const beyondJ = Math.abs(meanJ - (quietW * Math.abs(edgeMs - outMs)) / 1000);
  const stepW = largestStepW(fit, side);
  return beyondJ <= (stepW * sharpMs) / 1000 + sdJ / 2 + 0.5;
}
