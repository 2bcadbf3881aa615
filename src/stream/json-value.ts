/** An object that came as JSON: nothing is known of what its keys hold. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value if it is an object and no array; else `undefined`. */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined;
}

/** The value if it is an array; else an empty one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value if it is a string; else an empty one. */
export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value if it is a finite number of at least 0; else `null`, for unknown. */
export function asAmount(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : null;
}

/** No count of one request comes near this. */
const MOST = 2 ** 31;

/** The value if it is a whole number of at least 0 that can be a count; else `null`, for unknown. */
export function asCount(value: unknown): number | null {
  const amount = Number.isSafeInteger(value) ? asAmount(value) : null;
  return amount !== null && amount < MOST ? amount : null;
}

/** What the text is as JSON; `undefined`, which JSON cannot say, where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
