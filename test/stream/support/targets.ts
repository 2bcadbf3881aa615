import type { RequestTarget } from "../../../src/target/request-target.ts";

/** A target of a test server, without secrets unless some are given. */
export function targetOf(url: string, more: Partial<RequestTarget> = {}): RequestTarget {
  return {
    requestUrl: new URL(url),
    endpoint: "chat",
    headers: () => ({}),
    redact: (text) => text,
    ...more,
  };
}

/** A target that carries a key and takes it out of every text. */
export function targetWithKey(url: string, key: string): RequestTarget {
  return targetOf(url, {
    headers: () => ({ authorization: `Bearer ${key}` }),
    redact: (text) => text.replaceAll(key, "[redacted]"),
  });
}

export const BODY: object = { model: "test-model", messages: [{ role: "user", content: "Hi" }] };
