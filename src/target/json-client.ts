import { type Answer, type AskOptions, ask, shownUrlOf } from "./ask.ts";
import type { ConnectionErrorKind } from "./explain-failure.ts";
import { shownText } from "./shown-text.ts";
import type { Target } from "./target.ts";

export type JsonErrorKind =
  | ConnectionErrorKind
  | "timeout"
  | "http_status"
  | "redirect"
  | "unsupported_encoding"
  | "too_large";

interface AnyReply {
  readonly latencyMs: number;
  /** The IP address that was connected to; absent for a unix socket. */
  readonly address?: string;
}

/** What came of a request, without an exception for what a server or network does. */
export type JsonReply =
  | (AnyReply & { readonly state: "ok"; readonly httpStatus: number; readonly json: unknown })
  | (AnyReply & {
      readonly state: "error";
      readonly errorKind: JsonErrorKind;
      /** What happened, with the final address, and what the server said. No secret is in it. */
      readonly message: string;
      readonly httpStatus?: number;
      /** The beginning of what the server said, without secrets. */
      readonly said?: string;
    });

export async function getJson(target: Target, url: URL, options?: AskOptions): Promise<JsonReply> {
  return readReply(target, url, await ask(target, { url }, options));
}

export async function postJson(
  target: Target,
  url: URL,
  body: unknown,
  options?: AskOptions,
): Promise<JsonReply> {
  return readReply(target, url, await ask(target, { url, body }, options));
}

function readReply(target: Target, url: URL, answer: Answer): JsonReply {
  if (answer.state === "failed") return { ...answer, state: "error" };
  const { httpStatus, headers, text, latencyMs } = answer;
  const common = {
    latencyMs,
    httpStatus,
    ...(answer.address === undefined ? {} : { address: answer.address }),
  };
  const failed = (errorKind: JsonErrorKind, why: string): JsonReply => {
    const said = shownText(target, errorTextIn(text));
    const quote = said === "" ? "" : `: ${said}`;
    const message = `${shownUrlOf(target, url)}: ${why}${quote}`;
    return { ...common, state: "error", errorKind, message, ...(said === "" ? {} : { said }) };
  };

  if (httpStatus >= 300 && httpStatus < 400) {
    return failed("redirect", `HTTP ${httpStatus}, ${redirectHint(target, url, headers.location)}`);
  }
  const encoding = headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") {
    const shown = shownText(target, encoding);
    return failed("unsupported_encoding", `the answer comes as ${shown}, which was not asked for`);
  }
  if (httpStatus < 200 || httpStatus > 299) return failed("http_status", `HTTP ${httpStatus}`);
  if (answer.isCut) return failed("too_large", "the answer is longer than any that is expected");
  try {
    return { ...common, state: "ok", json: JSON.parse(text) };
  } catch {
    return failed("malformed", "the answer is not JSON");
  }
}

function redirectHint(target: Target, url: URL, location: string | undefined): string {
  if (location === undefined) return "a redirect that does not say where to";
  const to = URL.canParse(location, url.href) ? new URL(location, url).href : location;
  return `a redirect, which is not followed; if it is the right place, give --target ${shownText(target, to)}`;
}

/** The message of an error envelope (`error`, `error.message`, `message`, `detail`), else the text. */
function errorTextIn(text: string): string {
  try {
    return messageIn(JSON.parse(text)) ?? text;
  } catch {
    return text;
  }
}

/**
 * The message that an error object carries, in the forms that servers use.
 *
 * @param depth - how many envelopes within each other are opened.
 */
export function messageIn(json: unknown, depth = 3): string | undefined {
  if (typeof json === "string") return json === "" ? undefined : json;
  if (typeof json !== "object" || json === null || depth === 0) return undefined;
  const { error, message, detail } = json as Record<string, unknown>;
  for (const found of [error, message, detail]) {
    const text = messageIn(found, depth - 1);
    if (text !== undefined) return text;
  }
  return undefined;
}
