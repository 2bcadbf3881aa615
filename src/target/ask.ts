import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { nowMs } from "../clock.ts";
import { type ConnectionErrorKind, explainFailure } from "./explain-failure.ts";
import { isInContainer } from "./in-container.ts";
import { lookupLocalhost } from "./lookup-localhost.ts";
import type { Target } from "./target.ts";

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** From the first step to the last byte. Default: 10 s. */
  readonly timeoutMs?: number;
  /** What is longer is cut, and the answer says so. Default: 4 MiB. */
  readonly maxBytes?: number;
  /** Default: what the files of this machine tell. */
  readonly isInContainer?: () => boolean;
}

export type Answer =
  | {
      readonly state: "answered";
      readonly httpStatus: number;
      readonly headers: IncomingHttpHeaders;
      /** As it came, secrets that the server echoes included. */
      readonly text: string;
      readonly isCut: boolean;
      readonly latencyMs: number;
      /** The IP address that was connected to; absent for a unix socket. */
      readonly address?: string;
    }
  | {
      readonly state: "failed";
      readonly errorKind: ConnectionErrorKind | "timeout";
      readonly message: string;
      readonly latencyMs: number;
    };

interface Progress {
  phase: "connecting" | "waiting for the answer" | "reading the answer";
  address?: string;
}

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 4 * 1024 * 1024;
/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** The default of Node, which a flag of the process may have turned off; its types lack it here. */
const TRY_BOTH_FAMILIES = { autoSelectFamily: true };

/**
 * One request that is not measured: on a connection of its own, never through a proxy, and
 * following no redirect.
 *
 * @returns `failed` for whatever the network does.
 * @throws the signal's reason when it is aborted, and nothing else.
 */
export async function ask(
  target: Target,
  to: { readonly url: URL; readonly body?: unknown },
  options: AskOptions = {},
): Promise<Answer> {
  const { signal, timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = options;
  signal?.throwIfAborted();
  const startMs = nowMs();
  const progress: Progress = { phase: "connecting" };
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS));
  const either = signal === undefined ? timeUp.signal : AbortSignal.any([signal, timeUp.signal]);
  try {
    const response = await send(target, to, either, progress);
    const { text, isCut } = await readBody(response, maxBytes);
    const { statusCode: httpStatus = 0, headers } = response;
    const address = progress.address === undefined ? {} : { address: progress.address };
    const latencyMs = nowMs() - startMs;
    return { state: "answered", httpStatus, headers, text, isCut, latencyMs, ...address };
  } catch (error) {
    signal?.throwIfAborted();
    const latencyMs = nowMs() - startMs;
    const shownUrl = shownUrlOf(target, to.url);
    if (timeUp.signal.aborted) {
      const message = `${shownUrl}: no answer within ${timeoutMs / 1000} s (${progress.phase})`;
      return { state: "failed", errorKind: "timeout", message, latencyMs };
    }
    const place = { shownUrl, isInContainer: (options.isInContainer ?? isInContainer)() };
    const { errorKind, message } = explainFailure(error, place);
    return { state: "failed", errorKind, message: target.redact(message), latencyMs };
  } finally {
    clearTimeout(timer);
  }
}

/** An address of the target as it may be shown. */
export function shownUrlOf(target: Target, url: URL): string {
  const shown = target.redact(url.href);
  return target.socketPath === undefined ? shown : `${shown} at ${target.socketPath}`;
}

async function send(
  target: Target,
  { url, body }: { readonly url: URL; readonly body?: unknown },
  signal: AbortSignal,
  progress: Progress,
): Promise<IncomingMessage> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const request = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method: text === undefined ? "GET" : "POST",
    headers: {
      accept: "application/json",
      "accept-encoding": "identity",
      ...(text === undefined ? {} : { "content-type": "application/json" }),
      ...target.headers(),
      // Where an address is dialled, the certificate is still checked for the URL's host: by this.
      ...(target.address === undefined ? {} : { host: url.host }),
    },
    // Its own agent: the global one may be someone else's, or go through a proxy.
    agent: false,
    signal,
    ...TRY_BOTH_FAMILIES,
    ...(target.socketPath === undefined ? {} : { socketPath: target.socketPath }),
    ...(target.address === undefined ? {} : { hostname: target.address }),
    ...(url.hostname === "localhost" ? { lookup: lookupLocalhost } : {}),
    ...tlsOptions(target),
  });
  request.on("socket", (socket) => {
    socket.once(target.tls === undefined ? "connect" : "secureConnect", () =>
      connected(socket, progress),
    );
  });
  return new Promise((resolve, reject) => {
    request.on("error", reject);
    request.on("response", (response) => {
      progress.phase = "reading the answer";
      resolve(response);
    });
    request.end(text);
  });
}

function connected(socket: Socket, progress: Progress): void {
  progress.phase = "waiting for the answer";
  if (socket.remoteAddress !== undefined) progress.address = socket.remoteAddress;
}

/** Given explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED, which is the process', has no say. */
function tlsOptions({ tls }: Target) {
  if (tls === undefined) return {};
  const ca = tls.caPem === undefined ? {} : { ca: tls.caPem };
  return { rejectUnauthorized: !tls.isInsecure, ...ca };
}

async function readBody(
  response: IncomingMessage,
  maxBytes: number,
): Promise<{ text: string; isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the connection, so no more is read.
    if (length > maxBytes) break;
  }
  const bytes = Buffer.concat(chunks).subarray(0, maxBytes);
  return { text: new TextDecoder().decode(bytes), isCut: length > maxBytes };
}
