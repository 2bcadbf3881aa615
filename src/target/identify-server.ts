import { nowMs } from "../clock.ts";
import { type AskOptions, ask } from "./ask.ts";
import { type ServerReply, type ServerSign, signIn, signInFingerprint } from "./server-signs.ts";
import type { Target } from "./target.ts";

/** What serves a target, as far as it says so itself. */
export interface ServerFacts {
  readonly name?: string;
  readonly version?: string;
  /** What told it. */
  readonly how: string;
}

export interface IdentifyOptions extends Pick<AskOptions, "signal"> {
  /** For all questions together. Default: 3 s. */
  readonly timeoutMs?: number;
  /** That of a reply, which some servers are known by. Default: none. */
  readonly systemFingerprint?: string | null;
}

const TIMEOUT_MS = 3000;
/** The names of metrics show within the first of them. */
const MOST_BYTES = 256 * 1024;

/** Where each server tells its version, in the order that they are asked. */
const VERSION_PATHS_BY_NAME: Readonly<Record<string, readonly string[]>> = {
  vLLM: ["/version"],
  SGLang: ["/get_server_info", "/server_info"],
  "llama.cpp": ["/props"],
  Ollama: ["/api/version"],
  "TensorRT-LLM": ["/version"],
  TGI: ["/info"],
  Triton: ["/v2"],
};

/**
 * Asked where the list of models does not tell the name; each also for its server header. What
 * others imitate comes late.
 */
const NAME_PATHS = [
  "/metrics",
  "/props",
  "/get_server_info",
  "/info",
  "/v2",
  "/api/v0/models",
  "/api/version",
];

/**
 * Asks a server what it is, in a few small requests.
 *
 * @returns `undefined` where it does not say, whatever the reason; a run never fails by it.
 * @throws the signal's reason when it is aborted, and nothing else.
 */
export async function identifyServer(
  target: Target,
  options: IdentifyOptions = {},
): Promise<ServerFacts | undefined> {
  const { signal, timeoutMs = TIMEOUT_MS, systemFingerprint = null } = options;
  const endMs = nowMs() + timeoutMs;
  const asked = new Map<string, ServerReply | undefined>();
  const signAt = async (path: string): Promise<ServerSign | undefined> => {
    const leftMs = endMs - nowMs();
    if (!asked.has(path) && leftMs > 0) asked.set(path, await askAt(target, path, leftMs, signal));
    const reply = asked.get(path);
    return reply === undefined ? undefined : signIn(reply);
  };

  const named = (await signAt("/models")) ?? signInFingerprint(systemFingerprint);
  const first = named?.name === undefined ? await firstNamed(NAME_PATHS, signAt) : named;
  if (first?.name === undefined) {
    const sign = await signAt("/version");
    return sign === undefined ? undefined : shown(target, sign);
  }
  if (first.version !== undefined) return shown(target, first);
  for (const path of VERSION_PATHS_BY_NAME[first.name] ?? []) {
    const sign = await signAt(path);
    if (sign?.version !== undefined) {
      const how = `${first.how}, version by ${sign.how}`;
      return shown(target, { name: first.name, version: sign.version, how });
    }
  }
  return shown(target, first);
}

async function firstNamed(
  paths: readonly string[],
  signAt: (path: string) => Promise<ServerSign | undefined>,
): Promise<ServerSign | undefined> {
  for (const path of paths) {
    const sign = await signAt(path);
    if (sign?.name !== undefined) return sign;
  }
  return undefined;
}

async function askAt(
  target: Target,
  path: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<ServerReply | undefined> {
  const url = path === "/models" ? target.apiUrl("models") : target.rootUrl(path);
  const options = { timeoutMs, maxBytes: MOST_BYTES, ...(signal === undefined ? {} : { signal }) };
  const answer = await ask(target, { url }, options);
  if (answer.state === "failed") return undefined;
  const { httpStatus, headers, text } = answer;
  const { server } = headers as { readonly server?: string };
  const isGood = httpStatus >= 200 && httpStatus < 300;
  return {
    path,
    ...(server === undefined ? {} : { server }),
    ...(isGood ? { text, json: parsed(text) } : { text: "" }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function shown(target: Target, { name, version, how }: ServerSign): ServerFacts {
  return {
    ...(name === undefined ? {} : { name }),
    ...(version === undefined ? {} : { version: target.redact(version) }),
    how,
  };
}
