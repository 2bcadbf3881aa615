import type { RequestTarget } from "../target/request-target.ts";

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\da-z]+$/i;

/** Headers that say how the message is framed; only this file knows that. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
]);

const heads = new WeakMap<RequestTarget, string | Error>();

/**
 * The request as it goes over the wire, head and body in one piece so that it is one write.
 *
 * @returns an error, with no value in its message, where the request cannot be written.
 */
export function requestText(target: RequestTarget, body: object): string | Error {
  let json: string;
  try {
    json = JSON.stringify(body);
  } catch (cause) {
    return new Error("the body cannot be written as JSON", { cause });
  }
  let head = heads.get(target);
  if (head === undefined) {
    head = headText(target);
    heads.set(target, head);
  }
  return typeof head === "string" ? `${head}${Buffer.byteLength(json)}\r\n\r\n${json}` : head;
}

/** All that is the same in every request to a target: up to the length of the body. */
function headText(target: RequestTarget): string | Error {
  const headers = new Map([
    ["content-type", "application/json"],
    ["accept", "text/event-stream"],
    ["user-agent", "joulemark"],
  ]);
  for (const [name, value] of Object.entries(target.headers())) {
    const lowerName = name.toLowerCase();
    if (!HEADER_NAME.test(name)) return new Error("a header of the target has no valid name");
    if (hasControl(value)) return new Error(`the header ${lowerName} holds a control character`);
    if (!OWN_HEADERS.has(lowerName)) headers.set(lowerName, value);
  }
  // What cannot be read while it comes cannot be timed.
  headers.set("accept-encoding", "identity");
  const { host, pathname, search } = target.requestUrl;
  const lines = [`POST ${pathname}${search} HTTP/1.1`, `host: ${host}`];
  for (const [name, value] of headers) lines.push(`${name}: ${value}`);
  lines.push("content-length: ");
  return lines.join("\r\n");
}

/** The body with what every request of this tool asks for, where the caller left it open. */
export function completeBody(body: object, includeUsage: boolean): object {
  const { stream, stream_options: options } = body as Readonly<Record<string, unknown>>;
  const lacksUsage = includeUsage && (stream ?? true) === true && options === undefined;
  if (stream !== undefined && !lacksUsage) return body;
  const asked: Record<string, unknown> = { ...body };
  asked["stream"] ??= true;
  if (lacksUsage) asked["stream_options"] = INCLUDE_USAGE;
  return asked;
}

const INCLUDE_USAGE = { include_usage: true };

/** A line break would begin another header; the rest no server takes. */
function hasControl(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}
