/**
 * The value itself, when it can be a measured duration, size or rate: finite and ≥ 0.
 *
 * @throws {RangeError} for NaN, an infinity or a negative value. Such a value is a bug of the
 *   caller: what is not known must be left out, not handed over.
 */
export function requireMeasured(value: number): number {
  if (value >= 0 && value < Infinity) return value + 0; // -0 becomes 0.
  throw new RangeError(`${value} is no measured value: it must be finite and not negative`);
}

/** @throws {RangeError} unless `times` is a whole number ≥ 1. */
export function requireTimes(times: number): number {
  if (Number.isSafeInteger(times) && times >= 1) return times;
  throw new RangeError(`a value cannot be counted ${times} times`);
}
