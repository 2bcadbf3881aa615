import type { EnergyEstimate } from "./energy-estimate.ts";
import type { EstimatedWindow } from "./estimated-window.ts";
import { joulesPerToken } from "./joules-per-token.ts";

/** What the joules of an estimate are held against. */
export interface EstimateContext {
  /** What the idle machine would have taken in the same time, in J. */
  readonly idleJ: number | undefined;
  /** Tokens of the window, by what a joule is counted for in the keys, such as `input_token`. */
  readonly tokens: Readonly<Record<string, number | undefined>>;
}

type Figures = Readonly<Record<string, number | undefined>>;

/**
 * The figures of a window's estimate, each with the ends of its 95 % interval, and what the second
 * column of the same readings says.
 *
 * @param head - stands before every key.
 */
export function estimateFigures(
  head: string,
  { estimate, second }: Pick<EstimatedWindow, "estimate" | "second">,
  { idleJ, tokens }: EstimateContext,
): Figures {
  return {
    ...(estimate && {
      ...withEnds(`${head}energy_est`, estimate, "_j", (energyJ) => energyJ),
      ...(idleJ !== undefined &&
        withEnds(`${head}energy_above_idle_est`, estimate, "_j", (energyJ) => energyJ - idleJ)),
      ...perToken(head, estimate, tokens),
    }),
    ...(second?.estimate.method === "counter"
      ? {
          [`${head}counter_j`]: second.estimate.energyJ,
          [`${head}counter_joules_per_token`]: joulesPerToken(
            second.estimate.energyJ,
            tokens["token"],
          ),
        }
      : second && withEnds(`${head}instant_est`, second.estimate, "_j", (energyJ) => energyJ)),
  };
}

function perToken(
  head: string,
  estimate: EnergyEstimate,
  tokens: EstimateContext["tokens"],
): Figures {
  const figures: Record<string, number | undefined> = {};
  for (const [what, count] of Object.entries(tokens)) {
    // No joules for a token is no figure, but an interval may well begin there.
    if (joulesPerToken(estimate.energyJ, count) === undefined) continue;
    const key = `${head}joules_per_${what}_est`;
    Object.assign(
      figures,
      withEnds(key, estimate, "", (energyJ) => energyJ / count!),
    );
  }
  return figures;
}

/** A figure of an estimate and of both ends of its interval. */
function withEnds(
  key: string,
  { energyJ, loJ, hiJ }: EnergyEstimate,
  unit: string,
  figure: (energyJ: number) => number,
): Figures {
  return {
    [`${key}${unit}`]: figure(energyJ),
    [`${key}_lo${unit}`]: figure(loJ),
    [`${key}_hi${unit}`]: figure(hiJ),
  };
}
