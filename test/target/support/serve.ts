import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Served {
  readonly url: string;
  readonly port: number;
  /** `METHOD path` of each request, in order. */
  readonly asked: string[];
}

export interface ServeOptions {
  readonly host?: string;
  readonly socketPath?: string;
  readonly tls?: { readonly key: string; readonly cert: string };
}

/** A real server for one test. */
export async function serve(
  listener: RequestListener,
  { host = "127.0.0.1", socketPath, tls }: ServeOptions = {},
): Promise<Served> {
  const asked: string[] = [];
  const onRequest: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    listener(request, response);
  };
  const server: Server =
    tls === undefined ? createServer(onRequest) : createSecureServer(tls, onRequest);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (socketPath === undefined) server.listen(0, host, resolve);
    else server.listen(socketPath, resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  if (socketPath !== undefined) return { url: `unix:${socketPath}`, port: 0, asked };
  const { port } = server.address() as AddressInfo;
  const shownHost = host.includes(":") ? `[${host}]` : host;
  return { url: `${tls === undefined ? "http" : "https"}://${shownHost}:${port}`, port, asked };
}

/** Answers the paths that are given, and all others with 404. */
export function answers(
  byPath: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (request, response) => {
    const found = byPath[request.url ?? ""];
    const isText = typeof found === "string";
    response.writeHead(found === undefined ? 404 : 200, {
      "content-type": isText ? "text/plain" : "application/json",
      ...headers,
    });
    response.end(
      found === undefined ? '{"detail":"Not Found"}' : isText ? found : JSON.stringify(found),
    );
  };
}

/** One status with one body for every request. */
export function always(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (_request, response) => {
    response.writeHead(status, headers);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
}
