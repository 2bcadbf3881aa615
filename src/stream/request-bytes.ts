import type { RequestTarget } from "../target/request-target.ts";

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\da-z]+$/i;

/** Headers that say how the message is framed; only this file knows that. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
]);

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
  lines.push(`content-length: ${Buffer.byteLength(json)}`, "", json);
  return lines.join("\r\n");
}

/** The body with what every request of this tool asks for, where the caller left it open. */
export function completeBody(body: object, includeUsage: boolean): object {
  const asked = body as Readonly<Record<string, unknown>>;
  const isStream = (asked["stream"] ?? true) === true;
  return {
    ...asked,
    ...(asked["stream"] === undefined ? { stream: true } : {}),
    ...(isStream && includeUsage && asked["stream_options"] === undefined
      ? { stream_options: { include_usage: true } }
      : {}),
  };
}

/** A line break would begin another header; the rest no server takes. */
function hasControl(value: string): boolean {
  for (let i = 0; i < value.length; i++) {
    const code = value.charCodeAt(i);
    if ((code < 0x20 && code !== 0x09) || code === 0x7f) return true;
  }
  return false;
}
