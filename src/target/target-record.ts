/** What a record says of a target; no secret is in it. */
export interface TargetRecord {
  readonly baseUrl: string;
  /** The final address of the requests. */
  readonly requestUrl: string;
  readonly endpoint: "chat" | "completions";
  readonly model?: string;
  readonly socketPath?: string;
  /** The IP address that was connected to, where it was fixed before the run. */
  readonly address?: string;
  /** What was sent to be let in. */
  readonly auth: "none" | "bearer" | "basic" | "header";
  readonly apiKeyFrom?: string;
  readonly headerNames?: readonly string[];
  /** The server's certificate was not checked. */
  readonly isInsecure: boolean;
  /** The file's name without its folder. */
  readonly caFile?: string;
  readonly isProxied: false;
  readonly ignoredProxyVariables?: readonly string[];
}
