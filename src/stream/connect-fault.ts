import type { Fault } from "./request-outcome.ts";

/** This machine's limits: the server has no part in them. */
const OWN_LIMITS: ReadonlySet<string> = new Set([
  "EMFILE",
  "ENFILE",
  "ENOBUFS",
  "ENOMEM",
  "EADDRNOTAVAIL",
]);

/** Says why no connection came about, with every address that was tried. */
export function connectFault(error: unknown): Fault {
  const code = codeOf(error);
  // One address that this machine cannot reach says nothing where another one was refused.
  const each = error instanceof AggregateError ? error.errors : [error];
  if (code !== undefined && each.every((one) => OWN_LIMITS.has(codeOf(one) ?? ""))) {
    return { errorKind: "client_error", message: `${code}: ${LIMIT_TEXTS[code] ?? ""}`, code };
  }
  const message = `no connection: ${reasons(error).join("; ")}`;
  return { errorKind: "connect_failed", message, code: code ?? null };
}

/** Says how a connection broke that was there. */
export function resetFault(error: unknown, hadBytes: boolean): Fault {
  const code = codeOf(error) ?? null;
  const when = hadBytes ? "while the response came" : "before any byte of a response";
  const message = `the connection broke ${when}${code === null ? "" : ` (${code})`}`;
  return { errorKind: "connection_reset", message, code };
}

const LIMIT_TEXTS: Readonly<Record<string, string>> = {
  EMFILE: "this process has as many files open as it may; raise `ulimit -n`",
  ENFILE: "this machine has as many files open as it may",
  ENOBUFS: "this machine has no buffers left for another connection",
  ENOMEM: "this machine has no memory left for another connection",
  EADDRNOTAVAIL: "this machine has no port left for another connection",
};

/** One reason for each address: a name may have several, and each was tried. */
function reasons(error: unknown): string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(reasons);
  if (!(error instanceof Error)) return ["unknown error"];
  const { address, port, path } = error as { address?: string; port?: number; path?: string };
  const code = codeOf(error);
  if (code === undefined) return [error.message];
  if (address !== undefined && port !== undefined) return [`${code} ${address} port ${port}`];
  if (address !== undefined || path !== undefined) return [`${code} ${address ?? path}`];
  return [error.message.includes(code) ? error.message : `${error.message} (${code})`];
}

function codeOf(error: unknown): string | undefined {
  const own = (error as { code?: unknown } | null)?.code;
  const first = error instanceof AggregateError ? error.errors[0] : undefined;
  const code = own ?? (first as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : undefined;
}
