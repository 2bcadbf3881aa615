import type { Connection } from "./connection.ts";
import type { BodySink, HttpReader } from "./http-reader.ts";

const DRAIN_MS = 500;
const DRAIN_BYTES = 64 * 1024;

const NOWHERE: BodySink = { append: () => {} };

/**
 * Reads a response to its end whose reply is over already, so that the connection can be used
 * again. Bounded in time and bytes, and nobody waits for it.
 *
 * @param onOver - called once, with whether the connection is clean now.
 */
export function drain(
  connection: Connection,
  reader: HttpReader,
  onOver: (isClean: boolean) => void,
): void {
  let left = DRAIN_BYTES;
  let isDraining = true;
  const finish = (isClean: boolean): void => {
    if (!isDraining) return;
    isDraining = false;
    clearTimeout(timer);
    onOver(isClean);
  };
  const timer = setTimeout(() => finish(false), DRAIN_MS).unref();
  reader.sink = NOWHERE;
  connection.socket.unref();
  connection.passTo({
    onBytes: (bytes, length) => {
      left -= length;
      reader.push(bytes, length);
      if (reader.isOver) finish(reader.isComplete && !reader.hasExcess);
      else if (left < 0) finish(false);
    },
    onEnd: () => finish(false),
    onError: () => finish(false),
  });
}
