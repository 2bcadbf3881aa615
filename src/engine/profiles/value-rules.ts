/** What `--set` may give. */
export type GivenValue = string | number | boolean;

/** What one setting of a profile takes. */
export interface ValueRule {
  /** For people: «a number ≥ 0». */
  readonly wanted: string;
  /** @returns the typed value, or `undefined` when it is not what is wanted. */
  readonly read: (given: GivenValue) => GivenValue | undefined;
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** A finite number from `min` on. */
export function numberFrom(min: number): ValueRule {
  return numberRule(`a number ≥ ${min}`, (value) => value >= min);
}

export const positiveNumber: ValueRule = numberRule("a number > 0", (value) => value > 0);

export const share: ValueRule = numberRule(
  "a number from 0 to 1",
  (value) => value >= 0 && value <= 1,
);

/** A whole number from `min` on, and up to `max`. */
export function countFrom(min: number, max: number = Number.MAX_SAFE_INTEGER): ValueRule {
  const upTo = max === Number.MAX_SAFE_INTEGER ? `≥ ${min}` : `from ${min} to ${max}`;
  return numberRule(
    `a whole number ${upTo}`,
    (value) => Number.isInteger(value) && value >= min && value <= max,
  );
}

export const flag: ValueRule = {
  wanted: "true or false",
  read(given) {
    if (typeof given === "boolean") return given;
    if (given === "true") return true;
    return given === "false" ? false : undefined;
  },
};

/** A text that is like `pattern`. */
export function textLike(wanted: string, pattern: RegExp): ValueRule {
  return {
    wanted,
    read: (given) => (typeof given === "string" && pattern.test(given) ? given : undefined),
  };
}

export function oneOf(...choices: readonly string[]): ValueRule {
  return {
    wanted: `one of ${choices.join(", ")}`,
    read: (given) => (choices.includes(String(given)) ? given : undefined),
  };
}

function numberRule(wanted: string, isFine: (value: number) => boolean): ValueRule {
  return {
    wanted,
    read(given) {
      const value = numberOf(given);
      return value !== undefined && Number.isFinite(value) && isFine(value) ? value : undefined;
    },
  };
}

function numberOf(given: GivenValue): number | undefined {
  if (typeof given === "number") return given;
  return typeof given === "string" && DECIMAL.test(given.trim()) ? Number(given) : undefined;
}
