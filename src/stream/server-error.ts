import { asArray, asObject, type JsonObject, parseJson } from "./json-value.ts";

/** What a server said of its failure. */
export interface ServerError {
  readonly message: string;
  readonly code: number | string | null;
}

/**
 * The error envelope of a chunk or body: an `error` that is not empty, or an object that calls
 * itself an error (older vLLM).
 */
export function errorIn(value: JsonObject): ServerError | undefined {
  const error = value["error"];
  if (!isEmpty(error)) return errorOf(error === true ? value : error);
  const isItself = value["object"] === "error" || value["type"] === "error";
  return isItself ? errorOf(value) : undefined;
}

/** Reads what stands where an error is: an object, or a bare text. */
function errorOf(error: unknown): ServerError {
  let fields = asObject(error);
  if (fields === undefined) return { message: textOf(error), code: null };
  // A loop: envelopes may lie in envelopes as deep as a server likes.
  for (let inner: JsonObject | undefined = fields; inner; inner = asObject(inner["error"]))
    fields = inner;
  const code = fields["code"];
  return {
    message: textOf(fields["message"] ?? fields["error"] ?? fields["detail"] ?? fields),
    code: typeof code === "number" || (typeof code === "string" && code !== "") ? code : null,
  };
}

/** The error that a whole body tells, as servers write the body of a refusal. */
export function errorInBody(body: string): ServerError | undefined {
  const fields = asObject(parseJson(body)) ?? asObject(asArray(parseJson(body))[0]);
  if (fields === undefined) return undefined;
  const told = errorIn(fields);
  if (told !== undefined) return told;
  return "message" in fields || "detail" in fields ? errorOf(fields) : undefined;
}

/** The error in the data of an event, or in the value of an `error` field: JSON or bare text. */
export function errorInText(text: string): ServerError | undefined {
  const value = parseJson(text);
  if (value === undefined) return text.trim() === "" ? undefined : { message: text, code: null };
  return isEmpty(value) ? undefined : errorOf(value);
}

function isEmpty(error: unknown): boolean {
  if (Array.isArray(error)) return error.length === 0;
  const fields = asObject(error);
  return fields === undefined ? !error : Object.keys(fields).length === 0;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "an error that is nested too deeply to be shown";
  }
}
