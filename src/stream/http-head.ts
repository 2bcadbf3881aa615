/** How the end of a body is told. */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  /** The body ends where the connection does. */
  | { readonly kind: "close" };

/** Status and headers of one response. */
export interface ResponseHead {
  readonly status: number;
  /** By lower-case name; values of repeated headers are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: BodyFraming;
  /** Codings that would have to be undone before the body can be read (`gzip` and the like). */
  readonly codings: readonly string[];
  /** Whether the connection may carry another request afterwards. */
  readonly isKeptAlive: boolean;
}

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: .*)?$/;
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\da-z]+$/i;

let lastText: string | undefined;
let lastHead: ResponseHead | string = "";

/**
 * Reads the lines of a response's head, without the blank one. A server's heads are mostly the same
 * for a second at a time, and then are read once.
 *
 * @returns a sentence that says what is wrong where it is not HTTP/1.
 */
export function parseHead(lines: readonly string[]): ResponseHead | string {
  const text = lines.join("\n");
  if (text !== lastText) {
    lastHead = parseLines(lines);
    lastText = text;
  }
  return lastHead;
}

function parseLines(lines: readonly string[]): ResponseHead | string {
  const [, minor, statusText] = STATUS_LINE.exec(lines[0] ?? "") ?? [];
  if (statusText === undefined) return "the status line is not HTTP/1";
  const headers = parseHeaders(lines.slice(1));
  if (typeof headers === "string") return headers;
  const status = Number(statusText);
  if (status < 100) return `the status ${statusText} is none of HTTP's`;
  const transferCodings = listOf(headers.get("transfer-encoding"));
  const framing = framingOf(status, headers, transferCodings);
  if (typeof framing === "string") return framing;
  return {
    status,
    headers,
    framing,
    codings: [...listOf(headers.get("content-encoding")), ...transferCodings].filter(
      (coding) => coding !== "identity" && coding !== "chunked",
    ),
    isKeptAlive: framing.kind !== "close" && isKeptAlive(minor === "1", headers),
  };
}

function parseHeaders(lines: readonly string[]): Map<string, string> | string {
  const headers = new Map<string, string>();
  let last: string | undefined;
  for (const line of lines) {
    if (/^[ \t]/.test(line) && last !== undefined) {
      // A folded line, long out of use and still seen behind old gateways.
      headers.set(last, `${headers.get(last)} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!HEADER_NAME.test(name)) return "a header line has no name";
    const value = line.slice(colon + 1).trim();
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
    last = name;
  }
  return headers;
}

function framingOf(
  status: number,
  headers: ReadonlyMap<string, string>,
  transferCodings: readonly string[],
): BodyFraming | string {
  if (status < 200 || status === 204 || status === 304) return { kind: "none" };
  // Where both are given the coding decides, and the length is not to be believed.
  if (transferCodings.length > 0) {
    return transferCodings.at(-1) === "chunked" ? { kind: "chunked" } : { kind: "close" };
  }
  const text = headers.get("content-length");
  if (text === undefined) return { kind: "close" };
  const lengths = new Set(text.split(",").map((part) => part.trim()));
  const [length = ""] = lengths;
  if (lengths.size !== 1 || !/^\d{1,15}$/.test(length)) return "the content-length is no length";
  return { kind: "length", bytes: Number(length) };
}

function isKeptAlive(isHttp11: boolean, headers: ReadonlyMap<string, string>): boolean {
  const wishes = listOf(headers.get("connection"));
  return isHttp11 ? !wishes.includes("close") : wishes.includes("keep-alive");
}

function listOf(value: string | undefined): string[] {
  return (value ?? "")
    .toLowerCase()
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
