/** Joules with their standard deviation. */
export interface Joules {
  readonly meanJ: number;
  readonly sdJ: number;
}

/** Joules of parts whose errors have nothing to do with each other. */
export function sumOfJoules(parts: readonly Joules[]): Joules {
  return {
    meanJ: parts.reduce((sum, { meanJ }) => sum + meanJ, 0),
    sdJ: Math.hypot(...parts.map(({ sdJ }) => sdJ)),
  };
}
