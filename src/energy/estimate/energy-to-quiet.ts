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
}

/** How far beyond a quiet edge a fit may put a change that happened inside, in ms, beside two ticks. */
const BLUR_MS = 300;
/** An edge is sharp to so many ms and this share of a tick. */
const SHARP_MS = 35;
const SHARP_TICKS = 0.1;

/**
 * The energy of a window by a fit whose edges are blurred.
 *
 * A load that begins just at a window's start begins a little before it and a little after it in the
 * fit, and what lies before would be lost. So where the power stood still beside the window, the fit
 * is taken to behind the blur, less that quiet power: all that rose above it belongs to the window.
 * Not so where more than the blur lies beyond the edge: then the load did begin before the window.
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
  const fromMs = isQuietBefore ? startMs - reachMs : startMs;
  const toMs = isQuietAfter ? endMs + reachMs : endMs;
  const { meanJ, sdJ } = fit.energy(fromMs, toMs);
  const beforeJ = ((beforeW ?? 0) * (startMs - fromMs)) / 1000;
  const afterJ = ((afterW ?? 0) * (toMs - endMs)) / 1000;
  return { meanJ: meanJ - beforeJ - afterJ, sdJ, isQuietBefore, isQuietAfter };
}

/** Whether what a fit puts beyond an edge is no more than a change at the edge itself would give. */
function isBlur(
  fit: PowerFit,
  side: { readonly quietW: number; readonly edgeMs: number; readonly outMs: number },
  sharpMs: number,
): boolean {
  const { quietW, edgeMs, outMs } = side;
  const { meanJ, sdJ } = fit.energy(Math.min(edgeMs, outMs), Math.max(edgeMs, outMs));
  const beyondJ = Math.abs(meanJ - (quietW * Math.abs(edgeMs - outMs)) / 1000);
  const stepW = Math.abs(fit.powerAtW(2 * edgeMs - outMs) - quietW);
  return beyondJ <= (stepW * sharpMs) / 1000 + sdJ / 2 + 0.5;
}
