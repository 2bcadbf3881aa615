import { basename } from "node:path";
import { inspect } from "node:util";
import type { Credentials } from "./credentials.ts";
import type { EndpointAddress } from "./endpoint-address.ts";
import { findLocality, type Locality } from "./locality.ts";
import { redactorOf } from "./redact.ts";
import type { RequestTarget } from "./request-target.ts";
import type { TargetRecord } from "./target-record.ts";

/** All that a target is made of, as plain data. SECRET: it holds the key. */
export interface TargetParts {
  readonly address: EndpointAddress;
  readonly credentials: Credentials;
  readonly model?: string;
  readonly tls?: {
    readonly caPem?: string;
    readonly caFile?: string;
    readonly isInsecure: boolean;
  };
  readonly ignoredProxyVariables: readonly string[];
}

/**
 * An endpoint that can be measured: where it is and what is sent to be let in.
 *
 * Whatever shows it (`JSON.stringify`, `console.log`, `structuredClone`) shows no secret; only
 * `headers()`, `forThread()` and a query that holds a key do.
 */
export class Target implements RequestTarget {
  readonly endpoint: "chat" | "completions";
  /** What is asked of the server; absent until it is given or detected. */
  readonly model?: string;
  readonly socketPath?: string;
  /** The IP address to connect to instead of resolving the URL's host. */
  readonly address?: string;
  readonly tls?: { readonly caPem?: string; readonly isInsecure: boolean };
  readonly #parts: TargetParts;
  readonly #baseUrl: URL;
  readonly #requestUrl: URL;
  readonly #redact: (text: string) => string;

  static {
    // Defined here, since `isolatedDeclarations` takes no computed name in a class.
    Object.defineProperty(Target.prototype, inspect.custom, {
      value(this: Target): string {
        return `Target ${inspect(this.toJSON())}`;
      },
    });
  }

  constructor(parts: TargetParts) {
    const { address, tls, model } = parts;
    this.#parts = parts;
    this.#baseUrl = new URL(address.baseUrl);
    this.#requestUrl = new URL(address.requestUrl);
    this.endpoint = address.endpoint;
    if (model !== undefined) this.model = model;
    if (address.socketPath !== undefined) this.socketPath = address.socketPath;
    if (address.dialAddress !== undefined) this.address = address.dialAddress;
    if (tls !== undefined) {
      const { caPem, isInsecure } = tls;
      this.tls = { ...(caPem === undefined ? {} : { caPem }), isInsecure };
    }
    this.#redact = redactorOf(parts.credentials.secrets);
  }

  /** What all endpoints of the server's API start with. */
  get baseUrl(): URL {
    return this.#baseUrl;
  }

  get requestUrl(): URL {
    return this.#requestUrl;
  }

  /** The whole address as it may be shown; for a unix socket with its path. */
  get shownUrl(): string {
    const shown = this.redact(this.requestUrl.href);
    return this.socketPath === undefined ? shown : `${shown} at ${this.socketPath}`;
  }

  redact(text: string): string {
    return this.#redact(text);
  }

  headers(): Readonly<Record<string, string>> {
    return { ...this.#parts.credentials.headers };
  }

  /** Another endpoint of the same API, as `models`. */
  apiUrl(name: string): URL {
    const { socketPath, baseUrl, requestUrl } = this.#parts.address;
    const base = new URL(baseUrl);
    // A socket's base URL holds the socket's path as its host, which no request is sent with.
    const url = socketPath === undefined ? base : new URL(base.pathname, requestUrl);
    url.pathname = `${base.pathname.replace(/\/$/, "")}/${name}`;
    url.search = base.search;
    return url;
  }

  /** A page of the server itself, as `/version`. */
  rootUrl(path: string): URL {
    return new URL(this.#parts.address.rootUrl + path);
  }

  /** Where the server is, by the address that is connected to. Never rejects. */
  async locality(signal?: AbortSignal): Promise<Locality> {
    return findLocality(this.#dialled(), signal === undefined ? {} : { signal });
  }

  /** Whether the server is certainly on this machine. */
  async isLoopback(signal?: AbortSignal): Promise<boolean> {
    return (await this.locality(signal)).state === "local";
  }

  withModel(model: string): Target {
    return new Target({ ...this.#parts, model });
  }

  /** The same target, always reached at this IP address, so that no request resolves the name. */
  withAddress(dialAddress: string): Target {
    return new Target({ ...this.#parts, address: { ...this.#parts.address, dialAddress } });
  }

  /** For a thread of ours: plain data that `targetFromThread` reads. SECRET: it holds the key. */
  forThread(): TargetParts {
    return this.#parts;
  }

  /** What the record says of it. */
  toJSON(): TargetRecord {
    const { address, credentials, tls, ignoredProxyVariables } = this.#parts;
    return {
      baseUrl: this.redact(address.baseUrl),
      requestUrl: this.redact(address.requestUrl),
      endpoint: address.endpoint,
      ...(this.model === undefined ? {} : { model: this.model }),
      ...(this.socketPath === undefined ? {} : { socketPath: this.socketPath }),
      ...(this.address === undefined ? {} : { address: this.address }),
      auth: credentials.auth,
      ...(credentials.apiKeyFrom === undefined ? {} : { apiKeyFrom: credentials.apiKeyFrom }),
      ...(credentials.headerNames.length === 0 ? {} : { headerNames: credentials.headerNames }),
      isInsecure: tls?.isInsecure ?? false,
      ...(tls?.caFile === undefined ? {} : { caFile: basename(tls.caFile) }),
      isProxied: false,
      ...(ignoredProxyVariables.length === 0 ? {} : { ignoredProxyVariables }),
    };
  }

  #dialled(): string {
    if (this.socketPath !== undefined || this.address === undefined) return this.#baseUrl.href;
    const host = this.address.includes(":") ? `[${this.address}]` : this.address;
    const { protocol, port } = this.#requestUrl;
    return `${protocol}//${host}${port === "" ? "" : `:${port}`}`;
  }
}

/** The target that another thread sent with `forThread()`. */
export function targetFromThread(parts: TargetParts): Target {
  return new Target(parts);
}
