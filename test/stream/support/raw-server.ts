import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";

/** One request as it came over the wire. */
export interface WireRequest {
  readonly head: string;
  readonly body: string;
  readonly socket: Socket;
  /** 1 for the first request of this server. */
  readonly number: number;
}

export type Answer = (request: WireRequest) => void | Promise<void>;

export interface RawServer {
  readonly port: number;
  readonly url: string;
  readonly requests: readonly WireRequest[];
  /** Sockets that were accepted. */
  readonly accepted: readonly Socket[];
  close(): Promise<void>;
}

export interface RawServerOptions {
  readonly host?: string;
  readonly path?: string;
  readonly tls?: TlsOptions;
}

/** A server that hands whole requests to `answer`, which writes whatever bytes it likes. */
export async function startRawServer(
  answer: Answer,
  { host = "127.0.0.1", path, tls }: RawServerOptions = {},
): Promise<RawServer> {
  const accepted: Socket[] = [];
  const requests: WireRequest[] = [];
  const onSocket = (socket: Socket): void => {
    accepted.push(socket);
    socket.setNoDelay(true);
    socket.on("error", () => {});
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      for (let whole = takeRequest(text); whole !== undefined; whole = takeRequest(text)) {
        text = text.slice(whole.length);
        const request = { ...whole, socket, number: requests.length + 1 };
        requests.push(request);
        void answer(request);
      }
    });
  };
  const server: Server = tls ? createTlsServer(tls, onSocket) : createServer(onSocket);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    if (path === undefined) server.listen(0, host, resolve);
    else server.listen(path, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    url: `${tls ? "https" : "http"}://${host}:${port}/v1/chat/completions`,
    requests,
    accepted,
    close: async () => {
      for (const socket of accepted) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function takeRequest(text: string): { head: string; body: string; length: number } | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end === -1) return undefined;
  const head = text.slice(0, end);
  const bodyLength = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
  const length = end + 4 + bodyLength;
  if (text.length < length) return undefined;
  const body = Buffer.from(text.slice(end + 4, length), "latin1").toString("utf8");
  return { head, body, length };
}

/** Writes and waits until the system has it, so that the next write is a packet of its own. */
export function write(socket: Socket, bytes: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.write(bytes, () => resolve());
  });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
