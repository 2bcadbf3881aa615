import { explainTls } from "./explain-tls.ts";
import { isLoopbackAddress } from "./local-address.ts";

/** Why a request brought no answer at all. */
export type ConnectionErrorKind =
  | "connection_failed"
  | "connection_reset"
  | "tls"
  /** This machine's own limit, not the server's: no file descriptor is left. */
  | "client_limit"
  | "malformed";

export interface ExplainedFailure {
  readonly errorKind: ConnectionErrorKind;
  /** What happened, where, and what helps; without secrets only where the address is. */
  readonly message: string;
}

export interface FailurePlace {
  /** The address as it may be shown. */
  readonly shownUrl: string;
  readonly isInContainer: boolean;
}

interface Refusal {
  readonly code: string;
  /** Each address that was tried, as it is written with its port. */
  readonly addresses: readonly string[];
  readonly isLoopback: boolean;
  readonly text: string;
}

/** Says of an error of a connection what it means and what helps. */
export function explainFailure(error: unknown, place: FailurePlace): ExplainedFailure {
  const refusal = readError(error);
  const tls = explainTls(refusal.code, refusal.text);
  if (tls !== undefined) return { errorKind: "tls", message: `${place.shownUrl}: ${tls}` };
  const at = refusal.addresses.length === 0 ? "" : ` at ${refusal.addresses.join(" and at ")}`;
  const [errorKind, why] = causeOf(refusal, place);
  return { errorKind, message: `${place.shownUrl}: ${why} (${refusal.code}${at})` };
}

function causeOf(
  { code, isLoopback }: Refusal,
  { shownUrl, isInContainer }: FailurePlace,
): [ConnectionErrorKind, string] {
  if (code === "ECONNREFUSED" && isInContainer && isLoopback)
    return ["connection_failed", LOOPBACK];
  if (code.startsWith("HPE_")) {
    return ["malformed", "what answers there does not speak HTTP; if it speaks TLS, give https://"];
  }
  if (code === "ECONNRESET" || code === "EPIPE") {
    const tls = shownUrl.startsWith("http:") ? "; if it speaks TLS, give https://" : "";
    return ["connection_reset", `the server closed the connection before its answer${tls}`];
  }
  if (code === "EMFILE" || code === "ENFILE") {
    return [
      "client_limit",
      "this machine has no file descriptor left; raise the limit (ulimit -n)",
    ];
  }
  return ["connection_failed", WHY_BY_CODE[code] ?? "the connection failed"];
}

const LOOPBACK =
  "nothing listens there; joulemark runs in a container, where localhost is the container itself: use host.docker.internal, or start the container with --network host";

const WHY_BY_CODE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there; is the server started, and is this its port?",
  ENOTFOUND: "the name has no address; is it spelt right?",
  EAI_AGAIN: "the name could not be resolved now; does this machine reach a name server?",
  EHOSTUNREACH: "no way leads to that machine",
  ENETUNREACH: "no way leads to that network",
  ETIMEDOUT: "that machine does not answer; a firewall may be between",
  ENOENT: "there is no such socket; is the server started?",
  EACCES: "this user may not connect to it",
  ENOTSOCK: "that file is no socket",
};

function readError(error: unknown): Refusal {
  // `localhost` has two addresses, and the error for both is an AggregateError.
  const all: readonly unknown[] = error instanceof AggregateError ? error.errors : [error];
  const codes = [error, ...all].map((one) => field(one, "code")).filter(isText);
  const tried = all.filter((one) => isText(field(one, "address")));
  const addresses = tried.map((one) => {
    const [address, port] = [String(field(one, "address")), field(one, "port")];
    const host = address.includes(":") && port !== undefined ? `[${address}]` : address;
    return port === undefined ? address : `${host}:${port}`;
  });
  return {
    code: codes[0] ?? (error instanceof Error ? error.name : "unknown error"),
    addresses: [...new Set(addresses)],
    isLoopback: tried.some((one) => isLoopbackAddress(String(field(one, "address")))),
    text: error instanceof Error ? error.message : "",
  };
}

function field(error: unknown, name: string): unknown {
  return error instanceof Error ? (Reflect.get(error, name) as unknown) : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
