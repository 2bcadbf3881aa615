export type Endpoint = "chat" | "completions";

/** Where the API of a server lives, as paths without a slash at their end; the root is empty. */
export interface ApiPath {
  /** What all endpoints of the API start with, as `/v1`. */
  readonly basePath: string;
  readonly requestPath: string;
  /** Where the server's own pages live (`/version`, `/metrics`): what stands before the version. */
  readonly rootPath: string;
  /** The endpoint that the path itself names, where it does. */
  readonly named?: Endpoint;
}

const SUFFIX_BY_ENDPOINT: Readonly<Record<Endpoint, string>> = {
  chat: "/chat/completions",
  completions: "/completions",
};

/** `v1`, `v1beta`, `v2.1`, `v1beta2`; not `av1` or `video`. */
const VERSION = /^v\d+(?:\.\d+)*(?:(?:alpha|beta)\d*)?$/i;

/**
 * Reads the path of a base URL: `/v1` is added where no part of it is a version, and a whole
 * endpoint (`…/chat/completions`) stays as it is.
 *
 * @param endpoint - decides where the path names none. Default: `chat`.
 */
export function readApiPath(path: string, endpoint: Endpoint = "chat"): ApiPath {
  const given = path.replace(/\/+$/, "");
  const named = endpointNamedBy(given);
  if (named !== undefined) {
    const basePath = given.slice(0, -SUFFIX_BY_ENDPOINT[named].length);
    // A slash at the end of a whole endpoint may be the server's own spelling, so it stays.
    return { basePath, requestPath: path, rootPath: rootOf(basePath), named };
  }
  const basePath = given.split("/").some((part) => VERSION.test(part)) ? given : `${given}/v1`;
  const requestPath = basePath + SUFFIX_BY_ENDPOINT[endpoint];
  return { basePath, requestPath, rootPath: rootOf(basePath) };
}

function endpointNamedBy(path: string): Endpoint | undefined {
  const isNamed = (endpoint: Endpoint): boolean => path.endsWith(SUFFIX_BY_ENDPOINT[endpoint]);
  return (["chat", "completions"] as const).find(isNamed);
}

function rootOf(basePath: string): string {
  const parts = basePath.split("/");
  const at = parts.findIndex((part) => VERSION.test(part));
  return at === -1 ? basePath : parts.slice(0, at).join("/");
}
