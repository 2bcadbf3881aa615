import { isIPv6 } from "node:net";
import { JoulemarkError } from "../errors.ts";
import { type ApiPath, type Endpoint, readApiPath } from "./api-path.ts";
import { parseDialAddress } from "./dial-address.ts";

/** Where an endpoint is, in plain texts that hold no user name and no password. */
export interface EndpointAddress {
  /** What all endpoints start with; for a unix socket with its path as the host. */
  readonly baseUrl: string;
  readonly requestUrl: string;
  /** Where the server's own pages live, without a slash at its end. */
  readonly rootUrl: string;
  readonly endpoint: Endpoint;
  readonly socketPath?: string;
  /** The IP address to dial where the URL cannot say it: one with a zone, as `fe80::1%eth0`. */
  readonly dialAddress?: string;
}

export interface ParsedAddress {
  readonly address: EndpointAddress;
  /** As they are, no longer percent-encoded; present where the URL has either. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Values in the query that are keys by their name. */
  readonly querySecrets: readonly string[];
}

const SCHEME = /^(?:[a-z][a-z\d+.-]*:\/\/|unix:)/i;
const KNOWN_PROTOCOL = /^(?:https?|unix|https?\+unix):$/;
const ZONE = /%(?:25)?[^\]/?#@]+(?=\])/;
const SECRET_PARAMETER = /key|token|secret|passw|pwd|sig|auth|code|credential/i;

const FORMS =
  "give a URL such as http://127.0.0.1:8000/v1, or a unix socket such as unix:/run/server.sock";

/**
 * Reads the address of an endpoint, as a base URL or whole, with or without a scheme (`http`).
 *
 * @throws {JoulemarkError} `bad_option`, naming the value without what may be a secret.
 */
export function parseEndpointAddress(text: string, endpoint?: Endpoint): ParsedAddress {
  const given = text.trim();
  const url = parseUrl(given);
  const dial = parseDialAddress(given);
  if (dial === undefined) throw badTarget(given, "it is neither an http(s) URL nor a unix socket");
  if (dial.kind === "host" && dial.host === "") throw badTarget(given, "it names no host");
  if (dial.kind === "host" && dial.port === 0) throw badTarget(given, "port 0 cannot be dialled");

  const isSecure = url.protocol.startsWith("https");
  const api = readApiPath(apiPathOf(url), endpoint);
  if (endpoint !== undefined && (api.named ?? endpoint) !== endpoint) {
    throw badTarget(given, `it names the ${api.named} endpoint, and ${endpoint} is asked for`);
  }
  const host = dial.kind === "socket" ? "localhost" : url.host;
  const urls = urlsOf(`${isSecure ? "https" : "http"}://${host}`, api, url.search);
  const address: EndpointAddress = {
    ...urls,
    endpoint: api.named ?? endpoint ?? "chat",
    ...(dial.kind === "socket"
      ? { socketPath: dial.path, baseUrl: socketBase(isSecure, dial.path, api, url.search) }
      : {}),
    ...(dial.kind === "host" && dial.host.includes("%") ? { dialAddress: dial.host } : {}),
  };
  return { address, ...loginOf(url), querySecrets: querySecretsOf(url) };
}

/** The address as it may be shown when it cannot be read: without all that stands before an `@`. */
export function withoutLogin(text: string): string {
  const end = text.lastIndexOf("@");
  const scheme = SCHEME.exec(text)?.[0] ?? "";
  const hidden = end < scheme.length ? text : `${scheme}[redacted]${text.slice(end)}`;
  return hidden.replace(/([?&][^=&#]*=)[^&#]*/g, "$1[redacted]");
}

function parseUrl(given: string): URL {
  if (given === "") throw badTarget(given, "it is empty");
  if (/^https?(?::(?!\/\/|\d+(?:$|[/?#]))|\/\/)/i.test(given)) {
    throw badTarget(given, "after the scheme comes ://");
  }
  const bare = isIPv6(given) ? `[${given}]` : given;
  const whole = SCHEME.test(bare) ? bare : `http://${bare}`;
  // WHATWG URLs refuse a zone; `dialAddress` keeps it.
  const text = whole.replace(ZONE, "");
  if (!URL.canParse(text)) throw badTarget(given, "it is not a URL");
  const url = new URL(text);
  if (!KNOWN_PROTOCOL.test(url.protocol)) {
    throw badTarget(given, `${url.protocol}// is not spoken here`);
  }
  return url;
}

/** In `unix:/path:/v1` the API's path stands behind the colon. */
function apiPathOf(url: URL): string {
  if (!url.protocol.endsWith("unix:") || url.hostname !== "") return url.pathname;
  return /:(\/.*)$/.exec(url.pathname)?.[1] ?? "";
}

function urlsOf(origin: string, api: ApiPath, search: string) {
  return {
    baseUrl: new URL(`${origin}${api.basePath}${search}`).href,
    requestUrl: new URL(`${origin}${api.requestPath}${search}`).href,
    rootUrl: `${origin}${api.rootPath}`,
  };
}

function socketBase(isSecure: boolean, path: string, api: ApiPath, search: string): string {
  const scheme = isSecure ? "https+unix" : "http+unix";
  return `${scheme}://${encodeURIComponent(path)}${api.basePath}${search}`;
}

function loginOf(url: URL): Pick<ParsedAddress, "login"> {
  if (url.username === "" && url.password === "") return {};
  return { login: { user: decoded(url.username), password: decoded(url.password) } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function querySecretsOf(url: URL): string[] {
  const named = [...url.searchParams].filter(([name]) => SECRET_PARAMETER.test(name));
  return named.map(([, value]) => value).filter((value) => value !== "");
}

/** No cause goes with it: the errors of `URL` carry the whole input. */
function badTarget(given: string, why: string): JoulemarkError {
  const shown = JSON.stringify(withoutLogin(given));
  return new JoulemarkError("bad_option", `--target ${shown} cannot be used: ${why}; ${FORMS}`);
}
