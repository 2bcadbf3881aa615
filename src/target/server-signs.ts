/** What a server said that may tell what it is; what was not asked or not answered is absent. */
export interface ServerReply {
  /** The path that was asked, as `/version`. */
  readonly path: string;
  /** The `server` header. */
  readonly server?: string;
  readonly json?: unknown;
  readonly text: string;
}

export interface ServerSign {
  readonly name?: string;
  readonly version?: string;
  /** What told it. */
  readonly how: string;
}

const NAME_BY_OWNER: Readonly<Record<string, string>> = {
  vllm: "vLLM",
  sglang: "SGLang",
  llamacpp: "llama.cpp",
  "llama.cpp": "llama.cpp",
  library: "Ollama",
  tensorrt_llm: "TensorRT-LLM",
  organization_owner: "LM Studio",
  lmdeploy: "LMDeploy",
  koboldcpp: "KoboldCpp",
};

const NAME_BY_METRIC_PREFIX: Readonly<Record<string, string>> = {
  "vllm:": "vLLM",
  "sglang:": "SGLang",
  "llamacpp:": "llama.cpp",
  tgi_: "TGI",
  trtllm_: "TensorRT-LLM",
  nv_inference_: "Triton",
};

/** Servers that name themselves in the `server` header; most others show their HTTP library there. */
const NAMED_IN_HEADER: readonly (readonly [RegExp, string])[] = [
  [/^llama\.cpp\b/i, "llama.cpp"],
  [/^lm[- ]?studio\b/i, "LM Studio"],
  [/^ollama\b/i, "Ollama"],
  [/^vllm\b/i, "vLLM"],
  // Before its /metrics, which have vLLM's names.
  [/^joulemark-engine\b/i, "joulemark engine (SIMULATED)"],
];

/**
 * Reads what one reply tells of the server.
 *
 * @returns `undefined` where it tells nothing; a version without a name where only that is told.
 */
export function signIn(reply: ServerReply): ServerSign | undefined {
  return signInHeader(reply) ?? SIGN_BY_PATH[reply.path]?.(reply);
}

function signInHeader({ server }: ServerReply): ServerSign | undefined {
  const found = NAMED_IN_HEADER.find(([pattern]) => pattern.test(server ?? ""));
  if (found === undefined) return undefined;
  const version = versionOf(/\/([\w.-]+)/.exec(server ?? "")?.[1]);
  return { name: found[1], ...version, how: "server header" };
}

const SIGN_BY_PATH: Readonly<Record<string, (reply: ServerReply) => ServerSign | undefined>> = {
  "/models": ({ json }) => {
    const { data } = fieldsOf(json);
    const owner = Array.isArray(data) ? fieldsOf(data[0])["owned_by"] : undefined;
    const name = typeof owner === "string" ? NAME_BY_OWNER[owner] : undefined;
    return name === undefined ? undefined : { name, how: "owned_by in the list of models" };
  },
  "/version": ({ json }) => {
    // vLLM and TensorRT-LLM answer alike: a version, and no name.
    const version = versionOf(fieldsOf(json)["version"]);
    return version.version === undefined ? undefined : { ...version, how: "/version" };
  },
  "/get_server_info": signOfSglang,
  "/server_info": signOfSglang,
  "/props": ({ json }) => {
    const { build_info, default_generation_settings } = fieldsOf(json);
    if (default_generation_settings === undefined) return undefined;
    return { name: "llama.cpp", ...versionOf(build_info), how: "/props" };
  },
  "/api/version": ({ json }) => {
    const version = versionOf(fieldsOf(json)["version"]);
    return version.version === undefined
      ? undefined
      : { name: "Ollama", ...version, how: "/api/version" };
  },
  "/info": ({ json }) => {
    const { version, model_id, max_concurrent_requests } = fieldsOf(json);
    if (model_id === undefined || max_concurrent_requests === undefined) return undefined;
    return { name: "TGI", ...versionOf(version), how: "/info" };
  },
  "/v2": ({ json }) => {
    const { name, version } = fieldsOf(json);
    return name === "triton" ? { name: "Triton", ...versionOf(version), how: "/v2" } : undefined;
  },
  "/api/v0/models": ({ json }) => {
    const { data } = fieldsOf(json);
    const { publisher, compatibility_type } = fieldsOf(Array.isArray(data) ? data[0] : undefined);
    if (publisher === undefined || compatibility_type === undefined) return undefined;
    return { name: "LM Studio", how: "/api/v0/models" };
  },
  "/metrics": ({ text }) => {
    for (const [prefix, name] of Object.entries(NAME_BY_METRIC_PREFIX)) {
      if (new RegExp(`^(?:# (?:HELP|TYPE) )?${prefix}`, "m").test(text)) {
        return { name, how: `names in /metrics (${prefix}…)` };
      }
    }
    return undefined;
  },
};

function signOfSglang({ json, path }: ServerReply): ServerSign | undefined {
  const { version, model_path, tokenizer_path } = fieldsOf(json);
  if (model_path === undefined || tokenizer_path === undefined) return undefined;
  return { name: "SGLang", ...versionOf(version), how: path };
}

/** The fingerprint in a reply: Ollama's is fixed, mlx_lm's names the chip family of Apple. */
export function signInFingerprint(fingerprint: string | null): ServerSign | undefined {
  if (fingerprint === "fp_ollama") return { name: "Ollama", how: "system_fingerprint" };
  const [, mlx] = /^(\d[\w.]*)-.*applegpu/.exec(fingerprint ?? "") ?? [];
  return mlx === undefined
    ? undefined
    : { name: "mlx_lm", version: mlx, how: "system_fingerprint" };
}

function versionOf(value: unknown): { version?: string } {
  const isVersion = typeof value === "string" && /^[\w.+:/ -]{1,80}$/.test(value);
  return isVersion ? { version: value } : {};
}

function fieldsOf(json: unknown): Readonly<Record<string, unknown>> {
  return typeof json === "object" && json !== null ? (json as Record<string, unknown>) : {};
}
