/**
 * Looks at a value that was read from a file.
 *
 * @returns where it is not what it must be, such as `.gapsUs[3]`; `undefined` where it is.
 */
export type Shape = (value: unknown) => string | undefined;

/** A shape of everything for which this holds. */
function where(isRight: (value: unknown) => boolean): Shape {
  return (value) => (isRight(value) ? undefined : "");
}

export const text: Shape = where((value) => typeof value === "string");
export const flag: Shape = where((value) => typeof value === "boolean");
export const anything: Shape = where(() => true);
/** JSON has no Infinity, but `1e999` reads as one. */
export const finite: Shape = where(Number.isFinite);
export const notNegative: Shape = where((value) => Number.isFinite(value) && Number(value) >= 0);
export const positive: Shape = where((value) => Number.isFinite(value) && Number(value) > 0);
/** In ms: 30 years. More is no time of a run, and would be lost in whole µs. */
const LONGEST_MS = 1e12;
/** A time on the clock of a run, in ms. */
export const clockMs: Shape = where(
  (value) => Number.isFinite(value) && Math.abs(Number(value)) <= LONGEST_MS,
);
/** A count, which is exact. */
export const whole: Shape = where((value) => Number.isSafeInteger(value) && Number(value) >= 0);

export function oneOf(...values: readonly unknown[]): Shape {
  return where((value) => values.includes(value));
}

export function listOf(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return "";
    for (let i = 0; i < value.length; i++) {
      const wrong = shape(value[i]);
      if (wrong !== undefined) return `[${i}]${wrong}`;
    }
    return undefined;
  };
}

type Fields = Readonly<Record<string, Shape>>;

/** An object that has these fields, and may have those; it may have more, which nobody looks at. */
export function fields(required: Fields, optional: Fields = {}): Shape {
  const musts = Object.entries(required);
  const mays = Object.entries(optional);
  return (value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "";
    for (const [key, shape] of musts) {
      const wrong = Object.hasOwn(value, key) ? shape(value[key as never]) : "";
      if (wrong !== undefined) return `.${key}${wrong}`;
    }
    for (const [key, shape] of mays) {
      const wrong = Object.hasOwn(value, key) ? shape(value[key as never]) : undefined;
      if (wrong !== undefined) return `.${key}${wrong}`;
    }
    return undefined;
  };
}

/** What a field of it says decides which shape it must have; a kind that is not known may have any. */
export function byKind(key: string, kinds: Readonly<Record<string, Shape>>): Shape {
  const outer = fields({ [key]: text });
  return (value) => {
    const wrong = outer(value);
    if (wrong !== undefined) return wrong;
    const kind = (value as Readonly<Record<string, string>>)[key]!;
    return Object.hasOwn(kinds, kind) ? kinds[kind]!(value) : undefined;
  };
}

/** Both, the second only where the first holds. */
export function both(first: Shape, second: Shape): Shape {
  return (value) => first(value) ?? second(value);
}
