import { ApiError } from "./api-error.ts";

/** The fields of a request's body, each read with its type; `null` is as if it were not there. */
export class RequestFields {
  readonly #fields: Readonly<Record<string, unknown>>;
  /** In front of the names, for a field within a field. */
  readonly #prefix: string;

  constructor(fields: Readonly<Record<string, unknown>>, prefix = "") {
    this.#fields = fields;
    this.#prefix = prefix;
  }

  get names(): readonly string[] {
    return Object.keys(this.#fields);
  }

  value(name: string): unknown {
    return Object.hasOwn(this.#fields, name) ? (this.#fields[name] ?? undefined) : undefined;
  }

  /** @throws {ApiError} 400 */
  flag(name: string): boolean {
    const value = this.value(name);
    if (value === undefined || typeof value === "boolean") return value ?? false;
    return this.#refuse(name, value, "true or false");
  }

  /** A whole number within limits. @throws {ApiError} 400 */
  count(name: string, least: number, most: number): number | undefined {
    const value = this.value(name);
    if (value === undefined) return undefined;
    if (Number.isInteger(value) && Number(value) >= least && Number(value) <= most) {
      return Number(value);
    }
    return this.#refuse(name, value, `an integer from ${least} to ${most}`);
  }

  /** Looked at only to refuse what real servers refuse. @throws {ApiError} 400 */
  checkNumber(name: string, least: number, most: number): void {
    const value = this.value(name);
    if (value === undefined) return;
    if (typeof value === "number" && value >= least && value <= most) return;
    this.#refuse(name, value, `a number from ${least} to ${most}`);
  }

  text(name: string): string | undefined {
    const value = this.value(name);
    if (value === undefined || typeof value === "string") return value;
    return this.#refuse(name, value, "a string");
  }

  /** @throws {ApiError} 400 */
  object(name: string): RequestFields {
    const value = this.value(name);
    if (value === undefined) return new RequestFields({}, `${this.#prefix}${name}.`);
    if (isObject(value)) return new RequestFields(value, `${this.#prefix}${name}.`);
    return this.#refuse(name, value, "an object");
  }

  #refuse(name: string, value: unknown, wanted: string): never {
    const param = `${this.#prefix}${name}`;
    throw new ApiError(400, `Invalid value for '${param}': ${shown(value)} is not ${wanted}.`, {
      param,
    });
  }
}

/** Whether a value read from JSON is an object with keys. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const MOST_SHOWN = 80;

function jsonOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, MOST_SHOWN + 1));
  try {
    return JSON.stringify(value) ?? "nothing";
  } catch {
    // JSON can be read at any depth, and not be written again.
    return "a value too deep to be shown";
  }
}

/** A value as an error may show it: never more than the beginning of it. */
export function shown(value: unknown): string {
  const text = jsonOf(value);
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
