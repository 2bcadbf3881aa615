import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { ApiError } from "./api-error.ts";

/** How long a client may take to read why it was refused, in ms. */
const LINGER_MS = 1000;

/** Answers bytes that are no HTTP, in the envelope that all other errors have. */
export function refuseBytes({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (code === "HPE_HEADER_OVERFLOW") refuse(socket, 431);
  else if (code === "ERR_HTTP_REQUEST_TIMEOUT") refuse(socket, 408);
  else refuse(socket, 400);
}

/** There is nothing behind this server to connect to. */
export function refuseTunnel({ socket, method = "" }: IncomingMessage): void {
  refuse(socket, 405, `${method} is not allowed here.`);
}

function refuse(socket: Duplex, status: number, message?: string): void {
  // An envelope in the middle of another reply would be taken for a part of it.
  if (!socket.writable || isReplying(socket)) return void socket.destroy();
  const reason = STATUS_CODES[status]!;
  const body = JSON.stringify(new ApiError(status, message ?? `${reason}.`));
  const head = `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-type: application/json`;
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  // What is still on its way is read: with unread bytes the answer would be lost in a reset.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once("close", () => clearTimeout(timer));
}

/** As Node itself asks before it answers such bytes. */
function isReplying(socket: Duplex): boolean {
  const { _httpMessage } = socket as { _httpMessage?: { readonly headersSent: boolean } | null };
  return _httpMessage?.headersSent ?? false;
}
