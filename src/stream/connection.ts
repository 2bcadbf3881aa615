import {
  connect as connectTcp,
  type LookupFunction,
  type OnReadOpts,
  type Socket,
  type TcpNetConnectOpts,
} from "node:net";
import { connect as connectTls } from "node:tls";
import { nowMs } from "../clock.ts";
import type { RequestTarget } from "../target/request-target.ts";

/** Who listens to a connection for the time of one request. */
export interface ConnectionUser {
  /** The bytes are gone when this returns. */
  onBytes(bytes: Buffer, length: number, atMs: number): void;
  onEnd(atMs: number): void;
  onError(error: unknown, atMs: number): void;
}

/** All sockets of a thread read into this: each read is copied before the next one happens. */
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** One socket to an endpoint, which serves one request after the other. */
export class Connection {
  readonly socket: Socket;
  idleSinceMs = 0;
  isOpen = true;
  #user: ConnectionUser | undefined;
  /** Called once, when the connection has gone while nobody used it. */
  onIdleLoss: () => void = () => {};

  constructor(target: RequestTarget, lookup: LookupFunction) {
    this.socket = openSocket(target, lookup, (length) => {
      // The time of arrival: taken before anything is done with what arrived.
      const atMs = nowMs();
      this.#take(length, atMs);
      return true;
    });
    this.socket.on("end", () => this.#onEnd(nowMs()));
    this.socket.on("error", (error) => {
      const atMs = nowMs();
      this.#close((user) => user.onError(error, atMs));
    });
    this.socket.on("close", () => this.#onClosed(nowMs()));
  }

  get remoteAddress(): string | undefined {
    return this.socket.remoteAddress;
  }

  /** Whether all that was written has been handed to the system. */
  get isFlushed(): boolean {
    return this.socket.writableLength === 0;
  }

  send(text: string, user: ConnectionUser): void {
    if (!this.isOpen) {
      user.onEnd(nowMs());
      return;
    }
    this.#user = user;
    this.socket.ref();
    this.socket.write(text);
  }

  /** Keeps the socket and stops listening: an idle connection holds no program alive. */
  rest(): void {
    this.#user = undefined;
    this.idleSinceMs = nowMs();
    this.socket.unref();
  }

  /** Hands the rest of what comes to somebody else. */
  passTo(user: ConnectionUser): void {
    this.#user = user;
  }

  destroy(): void {
    this.#user = undefined;
    this.isOpen = false;
    this.socket.destroy();
  }

  #take(length: number, atMs: number): void {
    // Bytes that nobody asked for: what comes next could not be told from them.
    if (this.#user === undefined) this.#close(() => {});
    else this.#user.onBytes(READ_BUFFER, length, atMs);
  }

  /**
   * A reset that comes together with data is reported by libuv as a plain end. Writing nothing
   * tells them apart and puts nothing on the wire: only a connection that is reset refuses it.
   */
  #onEnd(atMs: number): void {
    if (this.#user === undefined || !this.isFlushed) {
      this.#onClosed(atMs);
      return;
    }
    this.socket.write("", (error) => {
      if (error) this.#close((user) => user.onError(error, atMs));
      else this.#onClosed(atMs);
    });
  }

  #onClosed(atMs: number): void {
    this.#close((user) => user.onEnd(atMs));
  }

  #close(tell: (user: ConnectionUser) => void): void {
    const user = this.#user;
    this.#user = undefined;
    const wasOpen = this.isOpen;
    this.isOpen = false;
    if (user !== undefined) tell(user);
    else if (wasOpen) this.onIdleLoss();
    this.socket.destroy();
  }
}

/** The event after which a request may be written. */
export function readyEvent(target: RequestTarget): "connect" | "secureConnect" {
  return isTls(target) ? "secureConnect" : "connect";
}

function openSocket(
  target: RequestTarget,
  lookup: LookupFunction,
  onRead: (length: number) => boolean,
): Socket {
  const { socketPath, tls, requestUrl } = target;
  const onread: OnReadOpts = { buffer: READ_BUFFER, callback: onRead };
  const host = requestUrl.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = requestUrl.port === "" ? (isTls(target) ? 443 : 80) : Number(requestUrl.port);
  const tcp: TcpNetConnectOpts = {
    host: target.address ?? host,
    port,
    lookup,
    noDelay: true,
    onread,
    allowHalfOpen: true,
  };
  const where = socketPath === undefined ? tcp : { path: socketPath, onread, allowHalfOpen: true };
  if (!isTls(target)) return connectTcp(where);
  return connectTls({
    ...where,
    ...(tls?.caPem === undefined ? {} : { ca: tls.caPem }),
    ...(/^[\d.]+$|:/.test(host) ? {} : { servername: host }),
    rejectUnauthorized: !(tls?.isInsecure ?? false),
    ALPNProtocols: ["http/1.1"],
  });
}

function isTls({ tls, requestUrl }: RequestTarget): boolean {
  return tls !== undefined || requestUrl.protocol === "https:";
}
