import type { RequestFault, StreamFault } from "./fault.ts";
import { asciiJson } from "./reply-ids.ts";

const STREAM_FAULTS = new Set<RequestFault["kind"]>([
  "reset",
  "close",
  "error",
  "garbage",
  "stall",
]);

/** Whether a fault comes at a place in the stream. */
export function isInStream(fault: RequestFault | undefined): fault is StreamFault {
  return fault !== undefined && STREAM_FAULTS.has(fault.kind);
}

/** An event that is no JSON; its UTF-8 as Latin-1, since the writer sends characters as bytes. */
export function garbageEvent(text = '{"choices":[{"delta":'): string {
  return Buffer.from(text).toString("latin1");
}

/** An error in the middle of a stream. */
export function errorEvent(message = "The engine was told to fail here."): string {
  return asciiJson({ error: { message, type: "server_error", param: null, code: 500 } });
}
