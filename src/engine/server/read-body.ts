import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.ts";

/** More than the longest prompt of any model. */
const LONGEST_BODY = 32 * 1024 * 1024;

/** @throws {ApiError} for a body that is too long or packed; any other error when the client is gone. */
export async function readBody(message: IncomingMessage): Promise<string> {
  const { "content-encoding": encoding, "content-length": length } = message.headers;
  if (encoding !== undefined && encoding !== "identity") {
    throw new ApiError(415, `The body is packed with ${encoding}: send it as it is.`);
  }
  if (Number(length ?? 0) > LONGEST_BODY) throw tooLong();
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > LONGEST_BODY) throw tooLong();
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}

function tooLong(): ApiError {
  return new ApiError(413, `The body is longer than ${LONGEST_BODY} bytes.`, {
    // The rest of it is still on its way: this connection can take no other request.
    headers: { connection: "close" },
  });
}
