import { lookup as lookupByName } from "node:dns/promises";
import { once } from "node:events";
import { connect, isIP, type LookupFunction } from "node:net";
import { networkInterfaces } from "node:os";
import { parseDialAddress } from "./dial-address.ts";
import {
  isLoopbackAddress,
  isOwnAddress,
  isReachedByIpv4,
  isUnspecifiedAddress,
} from "./local-address.ts";

const CONNECT_TIMEOUT_MS = 2000;

/** Where a target is served, and how that is known. No text in it holds a user name or password. */
export type Locality =
  | {
      readonly state: "local" | "remote";
      /** The IP address that is connected to, or the path of a unix socket. */
      readonly address: string;
      /** TCP port; absent for a unix socket. */
      readonly port?: number;
      readonly how: string;
    }
  | { readonly state: "unknown"; readonly why: string };

/** One address that a name resolves to, as `node:dns` gives it. */
export interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

export interface LocalityOptions {
  /** Ends the search early, with `unknown`. Default: none. */
  readonly signal?: AbortSignal;
  /** All addresses of a name, in the order a client tries them. Default: the system's resolver. */
  readonly lookup?: (hostname: string) => Promise<readonly ResolvedAddress[]>;
  /** Addresses of this machine, loopback aside. Default: those of its network interfaces. */
  readonly ownAddresses?: readonly string[];
}

/**
 * Says whether a target is on this machine, by the address that is connected to, not by its text.
 *
 * Sends no byte. It connects only where a name has local and other addresses, for 2 s at most.
 *
 * @returns `unknown` for whatever goes wrong; it never rejects.
 */
export async function findLocality(
  target: string | URL,
  options: LocalityOptions = {},
): Promise<Locality> {
  const dial = parseDialAddress(target);
  if (dial === undefined) return unknown("the target is neither an http(s) URL nor a unix socket");
  if (dial.kind === "socket") {
    return { state: "local", address: dial.path, how: "a unix socket is on this machine" };
  }
  const { host, port } = dial;
  const ownAddresses = options.ownAddresses ?? listOwnAddresses();
  if (isIP(host) !== 0) return localityOf(host, port, ownAddresses);
  let resolved: readonly ResolvedAddress[];
  try {
    resolved = await unlessAborted(resolve(host, options.lookup), options.signal);
  } catch (error) {
    return unknown(`${host} could not be resolved (${reasonOf(error)})`);
  }
  const [first, ...others] = resolved.map(({ address }) => localityOf(address, port, ownAddresses));
  if (first === undefined) return unknown(`${host} resolves to no address`);
  if (others.every(({ state }) => state === first.state)) return named(host, "resolves to", first);
  try {
    const address = await connectedAddress({ host, port, resolved }, options.signal);
    return named(host, "was connected to at", localityOf(address, port, ownAddresses));
  } catch (error) {
    const why = `${host} has local and other addresses, and connecting failed`;
    return unknown(`${why} (${reasonOf(error)})`);
  }
}

type KnownLocality = Exclude<Locality, { state: "unknown" }>;

function localityOf(text: string, port: number, ownAddresses: readonly string[]): KnownLocality {
  if (isUnspecifiedAddress(text)) {
    const address = isReachedByIpv4(text) ? "127.0.0.1" : "::1";
    return { state: "local", address, port, how: `${text} is connected to as loopback` };
  }
  if (isLoopbackAddress(text)) {
    return { state: "local", address: text, port, how: `${text} is a loopback address` };
  }
  const isOwn = isOwnAddress(text, ownAddresses);
  const how = `${text} is ${isOwn ? "an" : "not an"} address of this machine`;
  return { state: isOwn ? "local" : "remote", address: text, port, how };
}

function named(host: string, link: string, locality: KnownLocality): KnownLocality {
  return { ...locality, how: `${host} ${link} ${locality.address}: ${locality.how}` };
}

function unknown(why: string): Locality {
  return { state: "unknown", why };
}

async function resolve(
  host: string,
  lookup: LocalityOptions["lookup"],
): Promise<readonly ResolvedAddress[]> {
  return lookup === undefined ? lookupByName(host, { all: true }) : lookup(host);
}

/** The peer of a real connection, made as an HTTP client makes it: each address in turn. */
async function connectedAddress(
  to: { host: string; port: number; resolved: readonly ResolvedAddress[] },
  signal: AbortSignal | undefined,
): Promise<string> {
  const timeout = AbortSignal.timeout(CONNECT_TIMEOUT_MS);
  const lookup: LookupFunction = (_host, _options, done) => done(null, [...to.resolved]);
  const socket = connect({
    host: to.host,
    port: to.port,
    lookup,
    autoSelectFamily: true,
    signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
  });
  try {
    await once(socket, "connect");
    const address = socket.remoteAddress;
    // Without an address the peer has closed already, and nothing says which one it was.
    if (address === undefined) throw Object.assign(new Error("closed"), { code: "ECONNRESET" });
    return address;
  } finally {
    socket.destroy();
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const settled = new AbortController();
  const aborted = new Promise<never>((_resolve, reject) => {
    const onAbort = () => reject(new DOMException("aborted", "AbortError"));
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true, signal: settled.signal });
  });
  return Promise.race([work, aborted]).finally(() => settled.abort());
}

/** A link-local address goes with its zone, once by name and once by number: both are written. */
function listOwnAddresses(): string[] {
  return Object.entries(networkInterfaces()).flatMap(([name, entries = []]) =>
    entries.flatMap((entry) => {
      const { address } = entry;
      if (entry.family === "IPv4" || entry.scopeid === 0) return [address];
      return [`${address}%${name}`, `${address}%${entry.scopeid}`];
    }),
  );
}

/** The error's code or name: its message may repeat what the user typed. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  if (error.name === "AbortError") {
    const isTimeout = error.cause instanceof DOMException && error.cause.name === "TimeoutError";
    return isTimeout ? `no answer within ${CONNECT_TIMEOUT_MS / 1000} s` : "aborted";
  }
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}
