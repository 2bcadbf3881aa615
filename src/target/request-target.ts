/**
 * What one request needs to know of an endpoint: where it goes, and what it carries. Nothing in it
 * changes.
 */
export interface RequestTarget {
  /** The whole address of the endpoint, path and query included; never with a user name or password. */
  readonly requestUrl: URL;
  /** Connect to this IP address instead of resolving the address' host, which still names it. */
  readonly address?: string;
  /** Connect to this unix socket instead of the address' host. */
  readonly socketPath?: string;
  readonly endpoint: "chat" | "completions";
  /** Absent for plain HTTP. */
  readonly tls?: {
    /** Certificates to trust, PEM; default those of the system. */
    readonly caPem?: string;
    /** The server's certificate is not checked; this is on the record. */
    readonly isInsecure: boolean;
  };
  /** Headers with the secrets in them; for the wire alone, never for a log or a record. */
  headers(): Readonly<Record<string, string>>;
  /** The text without the secrets of this target, for whatever is shown or kept. */
  redact(text: string): string;
}
