/** Looks at a value read from JSON and adds to `problems` what is wrong with it. */
export type Shape = (value: unknown, path: string, problems: string[]) => void;

/** A number, by default any finite one. */
export function number(limits: { min?: number; integer?: boolean } = {}): Shape {
  const { min = Number.NEGATIVE_INFINITY, integer = false } = limits;
  const wanted = `${integer ? "a whole number" : "a number"}${min > -Infinity ? ` ≥ ${min}` : ""}`;
  return (value, path, problems) => {
    const isFine = integer ? Number.isInteger(value) : Number.isFinite(value);
    if (!isFine || (value as number) < min) problems.push(wrong(path, value, wanted));
  };
}

/** A string that is not empty, unless `mayBeEmpty`. */
export function text(options: { mayBeEmpty?: boolean; pattern?: RegExp } = {}): Shape {
  return (value, path, problems) => {
    if (typeof value !== "string" || (value === "" && options.mayBeEmpty !== true)) {
      problems.push(wrong(path, value, "a text"));
    } else if (options.pattern && !options.pattern.test(value)) {
      problems.push(wrong(path, value, `a text like ${options.pattern}`));
    }
  };
}

export const flag: Shape = (value, path, problems) => {
  if (typeof value !== "boolean") problems.push(wrong(path, value, "true or false"));
};

export function oneOf(...choices: readonly string[]): Shape {
  return (value, path, problems) => {
    if (typeof value === "string" && choices.includes(value)) return;
    problems.push(wrong(path, value, choices.map((choice) => `"${choice}"`).join(" or ")));
  };
}

export function listOf(item: Shape, options: { minLength?: number } = {}): Shape {
  const { minLength = 0 } = options;
  return (value, path, problems) => {
    if (!Array.isArray(value)) return void problems.push(wrong(path, value, "a list"));
    if (value.length < minLength) problems.push(`${path}: needs at least ${minLength}`);
    for (const [i, entry] of value.entries()) item(entry, `${path}[${i}]`, problems);
  };
}

/** An object whose keys are free and whose values are alike. */
export function recordOf(item: Shape): Shape {
  return (value, path, problems) => {
    if (!isObject(value)) return void problems.push(wrong(path, value, "an object"));
    for (const [key, entry] of Object.entries(value)) item(entry, `${path}["${key}"]`, problems);
  };
}

/** An object with these keys and no others: a misspelt option is an error. */
export function object(
  required: Readonly<Record<string, Shape>>,
  optional: Readonly<Record<string, Shape>> = {},
): Shape {
  return (value, path, problems) => {
    if (!isObject(value)) return void problems.push(wrong(path, value, "an object"));
    const at = (key: string) => (path === "" ? key : `${path}.${key}`);
    for (const [key, entry] of Object.entries(value)) {
      const shape = own(required, key) ?? own(optional, key);
      if (shape) shape(entry, at(key), problems);
      else problems.push(`${at(key)}: no such option`);
    }
    for (const key of Object.keys(required)) {
      if (!Object.hasOwn(value, key)) problems.push(`${at(key)}: missing`);
    }
  };
}

/** One of several objects, told apart by their `kind`, which the shapes need not list. */
export function byKind(
  shapes: Readonly<
    Record<string, readonly [Readonly<Record<string, Shape>>, Readonly<Record<string, Shape>>?]>
  >,
): Shape {
  const kind = oneOf(...Object.keys(shapes));
  return (value, path, problems) => {
    if (!isObject(value)) return void problems.push(wrong(path, value, "an object"));
    const given = value["kind"];
    const chosen = typeof given === "string" ? own(shapes, given) : undefined;
    if (!chosen) return kind(given, `${path}.kind`, problems);
    object({ kind, ...chosen[0] }, chosen[1])(value, path, problems);
  };
}

/** Not what every object inherits: JSON may hold a key such as `valueOf`. */
function own<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function wrong(path: string, value: unknown, wanted: string): string {
  const seen = value === undefined ? "nothing" : JSON.stringify(value);
  return `${path === "" ? "the scenario" : path}: ${seen} is not ${wanted}`;
}
