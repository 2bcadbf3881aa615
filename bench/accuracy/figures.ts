import type { Judged } from "./judge.ts";

/** How far values lie from the truth, in %. */
export interface ErrorFigures {
  readonly n: number;
  /** Mean error over mean energy. */
  readonly biasPct: number;
  /** Of the absolute error of each window. */
  readonly p50Pct: number;
  readonly p95Pct: number;
}

/** Of the estimate, also how right its interval is. */
export interface EstimateFigures extends ErrorFigures {
  /** Share of the windows whose 95 % interval holds the truth, in %. */
  readonly coveragePct: number;
  readonly medianWidthPct: number;
  /** Median width over the spread of the errors from their 2.5 % to their 97.5 % quantile. */
  readonly widthRatio: number;
}

/** The two ways beside each other; a way that gave no value has no figures. */
export interface Figures {
  readonly windows: number;
  readonly refused: number;
  readonly integral?: ErrorFigures;
  readonly estimate?: EstimateFigures;
}

export function figuresOf(judged: readonly Judged[]): Figures {
  const integrals = judged.flatMap(({ integralJ, trueJ }) =>
    integralJ === undefined ? [] : [{ valueJ: integralJ, trueJ }],
  );
  const estimates = judged.flatMap(({ estimate, trueJ }) =>
    estimate === undefined ? [] : [{ ...estimate, valueJ: estimate.energyJ, trueJ }],
  );
  return {
    windows: judged.length,
    refused: judged.length - estimates.length,
    ...(integrals.length === 0 ? {} : { integral: errorFigures(integrals) }),
    ...(estimates.length === 0 ? {} : { estimate: estimateFigures(estimates) }),
  };
}

interface Valued {
  readonly valueJ: number;
  readonly trueJ: number;
}

function errorFigures(values: readonly Valued[]): ErrorFigures {
  const sum = (of: (one: Valued) => number): number =>
    values.reduce((total, one) => total + of(one), 0);
  const absolute = sorted(values.map((one) => Math.abs(errorPct(one))));
  return {
    n: values.length,
    biasPct: (100 * sum(({ valueJ, trueJ }) => valueJ - trueJ)) / sum(({ trueJ }) => trueJ),
    p50Pct: quantile(absolute, 0.5),
    p95Pct: quantile(absolute, 0.95),
  };
}

function estimateFigures(
  values: readonly (Valued & { readonly loJ: number; readonly hiJ: number })[],
): EstimateFigures {
  const held = values.filter(({ loJ, hiJ, trueJ }) => loJ <= trueJ && trueJ <= hiJ).length;
  const widths = sorted(values.map(({ loJ, hiJ, trueJ }) => (100 * (hiJ - loJ)) / trueJ));
  const errors = sorted(values.map(errorPct));
  const medianWidthPct = quantile(widths, 0.5);
  return {
    ...errorFigures(values),
    coveragePct: (100 * held) / values.length,
    medianWidthPct,
    widthRatio: medianWidthPct / (quantile(errors, 0.975) - quantile(errors, 0.025)),
  };
}

function errorPct({ valueJ, trueJ }: Valued): number {
  return (100 * (valueJ - trueJ)) / trueJ;
}

function sorted(values: readonly number[]): Float64Array {
  return Float64Array.from(values).sort();
}

/** By nearest rank. */
function quantile(ascending: Float64Array, share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN;
}

/**
 * The least coverage, in %, that `n` windows may show of an interval that truly holds 95 % of the
 * time: below it lies 1 in 100 of such samples.
 */
export function leastCoveragePct(n: number): number {
  return 95 - 100 * 2.326 * Math.sqrt((0.95 * 0.05) / n);
}
