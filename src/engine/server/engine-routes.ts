import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "./api-error.ts";
import { readBody } from "./read-body.ts";
import { sendJson, sendText } from "./send-json.ts";

/** What the routes ask of the engine behind them. */
export interface RoutedEngine {
  readonly model: string;
  /** Longest prompt and reply together. */
  readonly contextTokens: number;
  readonly apiKey: string | undefined;
  /**
   * Counts a request for text, which then has an end: that of its reply, or the error.
   *
   * @throws {ApiError} for a request that is not taken.
   */
  countText(taking: () => Promise<void>): Promise<void>;
  /** @throws {ApiError} for a request that is not taken. */
  complete(
    message: IncomingMessage,
    body: string,
    response: ServerResponse,
    isChat: boolean,
  ): Promise<void>;
  metrics(): string;
  status(): object;
  /** `undefined` for a path that it does not know. */
  truth(url: URL): object | undefined;
}

const COMPLETION_PATHS = new Map([
  ["/v1/chat/completions", true],
  ["/v1/completions", false],
]);

/**
 * Answers one request.
 *
 * @throws {ApiError} for what is refused; whatever else when the client is gone.
 */
export async function answerRequest(
  engine: RoutedEngine,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  checkHost(message);
  const url = urlOf(message);
  const isChat = COMPLETION_PATHS.get(url.pathname);
  const checkIt = (): void => checkKey(engine.apiKey, message.headers.authorization);
  if (isChat !== undefined && message.method === "POST") {
    return engine.countText(async () => {
      checkIt();
      await engine.complete(message, await readBody(message), response, isChat);
    });
  }
  if (url.pathname.startsWith("/v1/")) checkIt();
  if (isChat !== undefined) throw wrongMethod(message, "POST");
  const answer = lookUp(engine, url);
  if (answer === undefined) {
    throw new ApiError(404, `There is no ${url.pathname} here.`, { code: "not_found" });
  }
  if (message.method !== "GET" && message.method !== "HEAD")
    throw wrongMethod(message, "GET, HEAD");
  if (typeof answer === "string") sendText(response, METRICS_TYPE, answer);
  else sendJson(response, 200, JSON.stringify(answer));
}

function checkHost({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== "1.1" || headers.host !== undefined) return;
  throw new ApiError(400, "The header Host is missing, which HTTP/1.1 wants.", { param: "host" });
}

function urlOf({ url = "/" }: IncomingMessage): URL {
  // Of two slashes at the beginning the URL parser would make a host.
  const target = url.startsWith("/") ? `http://engine${url}` : url;
  if (URL.canParse(target)) return new URL(target);
  throw new ApiError(400, "The request target is no path and no URL.");
}

const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

function lookUp(engine: RoutedEngine, url: URL): object | string | undefined {
  const { pathname } = url;
  if (pathname === "/health") return { status: "ok", simulated: true };
  if (pathname === "/metrics") return engine.metrics();
  if (pathname === "/engine") return engine.status();
  const model = {
    id: engine.model,
    object: "model",
    created: 0,
    owned_by: "joulemark-engine",
    max_model_len: engine.contextTokens,
  };
  if (pathname === "/v1/models") return { object: "list", data: [model] };
  if (pathname.startsWith("/v1/models/")) {
    const asked = decoded(pathname.slice("/v1/models/".length));
    if (asked === engine.model) return model;
    throw new ApiError(404, `The model ${JSON.stringify(asked)} does not exist.`, {
      param: "model",
      code: "model_not_found",
    });
  }
  return engine.truth(url);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function checkKey(apiKey: string | undefined, authorization: string | undefined): void {
  // The scheme's case does not matter, that of the key does.
  const [, given] = /^bearer +(.*)$/i.exec(authorization ?? "") ?? [];
  if (apiKey === undefined || given === apiKey) return;
  throw new ApiError(401, "Incorrect API key provided.", { code: "invalid_api_key" });
}

function wrongMethod({ method, url }: IncomingMessage, allowed: string): ApiError {
  return new ApiError(405, `${method} is not allowed for ${url}: use ${allowed}.`, {
    headers: { allow: allowed },
  });
}
