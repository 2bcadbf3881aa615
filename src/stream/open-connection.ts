import type { LookupFunction } from "node:net";
import { nowMs } from "../clock.ts";
import type { RequestTarget } from "../target/request-target.ts";
import { connectFault } from "./connect-fault.ts";
import { Connection, readyEvent } from "./connection.ts";
import type { Fault } from "./request-outcome.ts";
import type { RequestWatch } from "./request-watch.ts";

/** A connection for one request. */
export interface Acquired {
  readonly connection: Connection;
  /** When it was opened; `null` for one used before. */
  readonly connectedMs: number | null;
}

/** Opens a connection to the target, or says why there is none. It ends early when the watch does. */
export function openConnection(
  target: RequestTarget,
  lookup: LookupFunction,
  watch: RequestWatch,
): Promise<Acquired | Fault> {
  return new Promise((resolve) => {
    let connection: Connection;
    try {
      connection = new Connection(target, lookup);
    } catch (error) {
      resolve(connectFault(error));
      return;
    }
    const user = {
      onBytes: (): void => fail(new Error("the server spoke first")),
      onEnd: (): void => fail(new Error("closed at once")),
      onError: (error: unknown): void => fail(error),
    };
    const fail = (error: unknown): void => {
      connection.destroy();
      resolve(connectFault(error));
    };
    connection.passTo(user);
    watch.onStop = (fault) => {
      connection.destroy();
      resolve(fault);
    };
    connection.socket.once(readyEvent(target), () => resolve({ connection, connectedMs: nowMs() }));
  });
}

const keys = new WeakMap<RequestTarget, string>();

/** Targets that may share connections have the same key. */
export function keyOf(target: RequestTarget): string {
  let key = keys.get(target);
  if (key === undefined) {
    const { requestUrl, address, socketPath, tls } = target;
    const trust = tls === undefined ? "" : `${tls.isInsecure} ${tls.caPem ?? ""}`;
    key = `${requestUrl.protocol}//${requestUrl.host} ${address ?? ""} ${socketPath ?? ""} ${trust}`;
    keys.set(target, key);
  }
  return key;
}
