import type { IncomingMessage } from "node:http";
import { ApiError } from "./api-error.ts";

/** More than the longest prompt of any model. */
const LONGEST_BODY = 32 * 1024 * 1024;

/** How long the rest of a body that was refused may take to come, in ms. */
const MOST_DRAIN_MS = 10_000;

/** @throws {ApiError} for a body that is too long or packed; any other error when the client is gone. */
export async function readBody(message: IncomingMessage): Promise<string> {
  const { "content-encoding": encoding, "content-length": length } = message.headers;
  if (encoding !== undefined && encoding !== "identity") {
    throw new ApiError(
      415,
      `The body is packed with ${JSON.stringify(encoding.slice(0, 80))}: send it as it is.`,
    );
  }
  if (Number(length ?? 0) > LONGEST_BODY) throw tooLong(message);
  const bytes = await collected(message);
  if (bytes === undefined) throw tooLong(message);
  return bytes.toString("utf8");
}

/** Not by `for await`, which ends the connection when it is left: the client is to get an answer. */
function collected(message: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    let parts: Buffer[] = [];
    let bytes = 0;
    message.on("data", (part: Buffer) => {
      bytes += part.length;
      if (bytes <= LONGEST_BODY) {
        parts.push(part);
      } else {
        parts = [];
        resolve(undefined);
      }
    });
    message.once("end", () => resolve(Buffer.concat(parts)));
    message.once("error", reject);
    message.once("close", () => reject(new Error("the client went away")));
  });
}

/** The rest is read and forgotten, since many clients read no answer before all is sent. */
function tooLong(message: IncomingMessage): ApiError {
  message.resume();
  const timer = setTimeout(() => message.complete || message.destroy(), MOST_DRAIN_MS);
  message.once("close", () => clearTimeout(timer));
  return new ApiError(413, `The body is longer than ${LONGEST_BODY} bytes.`);
}
