import type { LookupFunction } from "node:net";
import { nowMs } from "../clock.ts";
import type { RequestTarget } from "../target/request-target.ts";
import type { Connection } from "./connection.ts";
import { drain } from "./drain.ts";
import type { HttpReader } from "./http-reader.ts";
import { lookupOnce } from "./lookup-once.ts";
import { type Acquired, keyOf, openConnection } from "./open-connection.ts";
import type { Fault } from "./request-outcome.ts";
import type { RequestWatch } from "./request-watch.ts";

export interface ConnectionsOptions {
  /**
   * How long an idle connection is kept, in ms; default 4,000. Servers close theirs from 5 s on,
   * and a request that meets the close is lost.
   */
  readonly idleMs?: number;
}

/** What a pool did so far. */
export interface ConnectionCounts {
  /** Connections that were opened. */
  readonly opened: number;
  /** Requests that were sent over a connection used before. */
  readonly reused: number;
  /** Idle connections that the server closed. */
  readonly lostIdle: number;
  /** Connections that could not be opened. */
  readonly failed: number;
}

/** A connection whose last reply is over save for its framing is waited for so long. */
const DRAIN_WAIT_MS = 2;

/**
 * Connections that are kept open between requests, as many as are asked for at once.
 *
 * There is no cap: a pool that queues would add its queue to the latency.
 */
export class Connections {
  readonly #idleMs: number;
  readonly #lookup: LookupFunction = lookupOnce();
  readonly #idle: Map<string, Connection[]> = new Map();
  readonly #draining: Map<string, Set<Connection>> = new Map();
  readonly #waiting: Map<string, Set<(connection: Connection) => void>> = new Map();
  readonly #counts = { opened: 0, reused: 0, lostIdle: 0, failed: 0 };
  #sweep: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: ConnectionsOptions = {}) {
    this.#idleMs = options.idleMs ?? 4000;
  }

  get counts(): ConnectionCounts {
    return { ...this.#counts };
  }

  /** An idle connection to the target, if there is one. */
  reuse(target: RequestTarget): Acquired | undefined {
    const connection = this.#takeIdle(keyOf(target));
    return connection === undefined ? undefined : this.#used(connection);
  }

  /** A new connection, or the next that gets free. It ends early when the watch does. */
  async acquire(target: RequestTarget, watch: RequestWatch): Promise<Acquired | Fault> {
    const connection = await this.#nextDrained(keyOf(target), watch);
    if (connection !== undefined) return this.#used(connection);
    if (watch.fault !== undefined) return watch.fault;
    const opened = await openConnection(target, this.#lookup, watch);
    if ("connection" in opened) this.#counts.opened++;
    else if (watch.fault === undefined) this.#counts.failed++;
    return opened;
  }

  /** Takes a connection back whose reply is over, for another request if it can carry one. */
  release(connection: Connection, target: RequestTarget, reader: HttpReader): void {
    const isSound = connection.isOpen && !reader.hasExcess && reader.problem === undefined;
    if (!isSound || this.#isClosed || !reader.head?.isKeptAlive) connection.destroy();
    else if (!reader.isOver) this.#drain(connection, target, reader);
    else if (connection.isFlushed) this.#rest(connection, keyOf(target));
    else connection.destroy();
  }

  /** Closes what is idle; what is in use is closed when its request is over. */
  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#sweep);
    const lists = [...this.#idle.values(), ...this.#draining.values()];
    this.#idle.clear();
    this.#draining.clear();
    for (const connections of lists) for (const connection of connections) connection.destroy();
  }

  #used(connection: Connection): Acquired {
    this.#counts.reused++;
    return { connection, connectedMs: null };
  }

  #takeIdle(key: string): Connection | undefined {
    const idle = this.#idle.get(key);
    const oldestMs = nowMs() - this.#idleMs;
    for (let found = idle?.pop(); found !== undefined; found = idle?.pop()) {
      if (found.isOpen && found.idleSinceMs >= oldestMs) return found;
      found.destroy();
    }
    return undefined;
  }

  /** Servers often send the end of the framing as a packet of its own, just behind `[DONE]`. */
  async #nextDrained(key: string, watch: RequestWatch): Promise<Connection | undefined> {
    const draining = this.#draining.get(key)?.size ?? 0;
    const waiting = setOf(this.#waiting, key);
    if (draining <= waiting.size) return undefined;
    return new Promise((resolve) => {
      const settle = (connection?: Connection): void => {
        clearTimeout(timer);
        waiting.delete(settle);
        resolve(connection);
      };
      const timer = setTimeout(settle, DRAIN_WAIT_MS);
      waiting.add(settle);
      watch.onStop = () => settle();
    });
  }

  #drain(connection: Connection, target: RequestTarget, reader: HttpReader): void {
    const key = keyOf(target);
    const draining = setOf(this.#draining, key);
    draining.add(connection);
    drain(connection, reader, (isClean) => {
      draining.delete(connection);
      if (isClean && !this.#isClosed && connection.isFlushed) this.#rest(connection, key);
      else connection.destroy();
    });
  }

  #rest(connection: Connection, key: string): void {
    connection.rest();
    const [waiter] = this.#waiting.get(key) ?? [];
    if (waiter !== undefined) {
      waiter(connection);
      return;
    }
    const idle = this.#idle.get(key) ?? [];
    if (idle.length === 0) this.#idle.set(key, idle);
    idle.push(connection);
    connection.onIdleLoss = () => {
      const at = idle.indexOf(connection);
      if (at === -1) return;
      idle.splice(at, 1);
      this.#counts.lostIdle++;
    };
    this.#sweep ??= setTimeout(() => this.#closeOld(), this.#idleMs).unref();
  }

  #closeOld(): void {
    this.#sweep = undefined;
    const oldestMs = nowMs() - this.#idleMs;
    let isAnyLeft = false;
    for (const idle of this.#idle.values()) {
      const old = idle.filter((connection) => connection.idleSinceMs < oldestMs);
      for (const connection of old) {
        idle.splice(idle.indexOf(connection), 1);
        connection.destroy();
      }
      isAnyLeft ||= idle.length > 0;
    }
    if (isAnyLeft) this.#sweep = setTimeout(() => this.#closeOld(), this.#idleMs).unref();
  }
}

/** The pool for whoever names none. */
export const defaultConnections: Connections = new Connections();

function setOf<T>(sets: Map<string, Set<T>>, key: string): Set<T> {
  const known = sets.get(key);
  if (known !== undefined) return known;
  const set = new Set<T>();
  sets.set(key, set);
  return set;
}
