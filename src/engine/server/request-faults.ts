import type { IncomingMessage, ServerResponse } from "node:http";
import { mixKeys, uniformAt } from "../schedule/keys.ts";
import { ApiError } from "./api-error.ts";
import type { EngineFault, RequestFault } from "./fault.ts";
import { faultOf } from "./read-request.ts";

/** A timer cannot wait longer, in ms. */
export const LONGEST_TIMER_MS: number = 2 ** 31 - 1;

/**
 * The fault of one request: that of its body, of its header, or of the engine's own faults the
 * first that hits it.
 *
 * @throws {ApiError} 400 for a header that is no fault.
 */
export function faultFor(
  request: {
    readonly number: number;
    readonly inBody: RequestFault | undefined;
    readonly message: IncomingMessage;
  },
  faults: readonly EngineFault[],
  seed: number,
): RequestFault | undefined {
  return request.inBody ?? faultInHeader(request.message) ?? ownFault(request.number, faults, seed);
}

/** Does what a fault does before the engine looks at the request. @throws {ApiError} */
export async function misbehaveFirst(
  fault: RequestFault | undefined,
  response: ServerResponse,
): Promise<void> {
  if (fault?.kind === "status") throw statusError(fault);
  if (fault?.kind === "slow") await waitUnlessGone(fault.delayMs, response);
}

/** A request can ask for a fault in a header too, where its body is not to be touched. */
function faultInHeader({ headers }: IncomingMessage): RequestFault | undefined {
  const text = headers["x-engine-fault"];
  if (typeof text !== "string") return undefined;
  try {
    return faultOf(JSON.parse(text));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw new ApiError(400, "The header x-engine-fault is not JSON.", { param: "x-engine-fault" });
  }
}

function ownFault(
  requestNumber: number,
  faults: readonly EngineFault[],
  seed: number,
): RequestFault | undefined {
  return faults.find((fault, i) => {
    const { share = 1, fromRequest = 0, untilRequest = Number.POSITIVE_INFINITY } = fault;
    if (requestNumber < fromRequest || requestNumber >= untilRequest) return false;
    return share >= 1 || uniformAt(mixKeys(seed, i), requestNumber) < share;
  });
}

/** A status that was asked for: no refusal, but a failure on purpose. */
export class InjectedStatus extends ApiError {}

function statusError({ status, message, retryAfterS }: Extract<RequestFault, { kind: "status" }>) {
  return new InjectedStatus(status, message ?? `The engine was told to answer ${status}.`, {
    ...(retryAfterS !== undefined && { headers: { "retry-after": String(retryAfterS) } }),
  });
}

async function waitUnlessGone(delayMs: number, { req }: ServerResponse): Promise<void> {
  const { socket } = req;
  if (socket.destroyed) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      socket.off("close", end);
      resolve();
    };
    const timer = setTimeout(end, Math.min(delayMs, LONGEST_TIMER_MS));
    socket.once("close", end);
  });
}
