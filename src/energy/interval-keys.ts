/** The keys under which the ends of a figure's own 95 % interval stand. */
export interface IntervalKeys {
  readonly lo: string;
  readonly hi: string;
}

/** Where the interval of an estimate's figure stands; `undefined` for a key of anything else. */
export function intervalKeys(key: string): IntervalKeys | undefined {
  const found = /^(.*_est)(_j)?$/.exec(key);
  if (found === null) return undefined;
  const [, name, unit = ""] = found;
  return { lo: `${name}_lo${unit}`, hi: `${name}_hi${unit}` };
}

/** Whether a key is an end of such an interval. */
export function isIntervalEnd(key: string): boolean {
  return /_est_(?:lo|hi)(?:_j)?$/.test(key);
}
