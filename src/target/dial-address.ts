import { isIPv6 } from "node:net";

/** What a client would dial for a target: a unix socket, or a host (name or IP address) and a port. */
export type DialAddress =
  | { readonly kind: "socket"; readonly path: string }
  | { readonly kind: "host"; readonly host: string; readonly port: number };

const DEFAULT_PORT_BY_PROTOCOL: Readonly<Record<string, number>> = { "http:": 80, "https:": 443 };

const SCHEME = /^(?:[a-z][a-z\d+.-]*:\/\/|unix:)/i;

/** `[address%zone]` as the host: WHATWG URLs refuse a zone, so it is taken out and put back. */
const ZONED_HOST = /^([^[/?#]*(?:\/\/)?[^[/?#]*)\[([\da-f:.]+)%(?:25)?([^\]/?#@]+)\]/i;

/**
 * Reads what to dial from a URL with or without a scheme (`http` if none), or a bare IPv6 address.
 *
 * Unix sockets: `unix:/path`, `unix:///path`, `http+unix://%2Fpath/v1`, all with the path absolute
 * or starting with a dot; the `:/v1` of `unix:/path:/v1` is cut.
 *
 * @returns nothing of a user name, password, path or query; `undefined` where it cannot be read.
 */
export function parseDialAddress(target: string | URL): DialAddress | undefined {
  const text = String(target).trim();
  if (isIPv6(text)) return parseDialAddress(`http://[${text}]`);
  const [, before, plain, zone] = ZONED_HOST.exec(text) ?? [];
  if (before === undefined) return dialAddressOf(parseUrl(text));
  const rest = text.slice(text.indexOf("]") + 1);
  return dialAddressOf(parseUrl(`${before}[${plain}]${rest}`), `%${zone}`);
}

function parseUrl(text: string): URL | undefined {
  const url = SCHEME.test(text) ? text : `http://${text}`;
  return URL.canParse(url) ? new URL(url) : undefined;
}

function dialAddressOf(url: URL | undefined, zone = ""): DialAddress | undefined {
  if (url === undefined) return undefined;
  if (/^(?:https?\+)?unix:$/.test(url.protocol)) return socketOf(url);
  const defaultPort = DEFAULT_PORT_BY_PROTOCOL[url.protocol];
  if (defaultPort === undefined) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, `$1${zone}`);
  return { kind: "host", host, port: url.port === "" ? defaultPort : Number(url.port) };
}

function socketOf(url: URL): DialAddress | undefined {
  // In `unix://var/run/x.sock` a slash is missing: `var` is no host, and no path is meant by it.
  if (url.protocol === "unix:" && url.hostname !== "") return undefined;
  const encoded = url.hostname === "" ? url.pathname.replace(/:\/.*$/, "") : url.hostname;
  try {
    const path = decodeURIComponent(encoded);
    // `unix:8000` is more likely a machine called unix than a file called 8000.
    return /^[./]./.test(path) ? { kind: "socket", path } : undefined;
  } catch {
    return undefined;
  }
}
