declare const sorted: unique symbol;

/** Finite values in ascending order. Only `sortValues` makes one, so unsorted input does not compile. */
export interface SortedValues extends ArrayLike<number> {
  readonly [sorted]: true;
}

/**
 * The values in ascending order, as a copy.
 *
 * @throws {RangeError} when a value is NaN or infinite.
 */
export function sortValues(values: ArrayLike<number>): SortedValues {
  const copy = Float64Array.from(values);
  const wrong = copy.find((value) => !Number.isFinite(value));
  if (wrong !== undefined) throw new RangeError(`${wrong} cannot be sorted among measured values`);
  return copy.sort() as ArrayLike<number> as SortedValues;
}
