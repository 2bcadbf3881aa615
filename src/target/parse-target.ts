import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import { JoulemarkError } from "../errors.ts";
import { type CredentialOptions, readCredentials } from "./credentials.ts";
import { parseEndpointAddress } from "./endpoint-address.ts";
import { ignoredProxyVariables } from "./proxy-variables.ts";
import { redactorOf } from "./redact.ts";
import { Target, type TargetParts } from "./target.ts";

export interface TargetOptions extends CredentialOptions {
  /** Default: none yet; `detectModel` finds it. */
  readonly model?: string;
  /** Default: `chat`, or what the URL names. */
  readonly endpoint?: "chat" | "completions";
  /** Certificates to trust instead of the system's, PEM. */
  readonly caFile?: string;
  /** Do not check the server's certificate, in this run; the record says so. Default: check it. */
  readonly insecure?: boolean;
}

const ENDPOINTS: readonly string[] = ["chat", "completions"];

/**
 * Reads what the user says of an endpoint, and the secrets that go with it.
 *
 * @param url - a base URL with or without a scheme, a whole endpoint, or a unix socket.
 * @throws {JoulemarkError} `bad_option`; no secret is in its message.
 */
export function parseTarget(url: string | URL, options: TargetOptions = {}): Target {
  if (typeof url !== "string" && !(url instanceof URL))
    throw new JoulemarkError("bad_option", `a target of type ${typeof url} cannot be: give a URL`);
  const { endpoint = "chat" } = options;
  if (!ENDPOINTS.includes(endpoint))
    throw new JoulemarkError(
      "bad_option",
      `there is no endpoint “${endpoint}”: give ${ENDPOINTS.join(" or ")}`,
    );
  const { address, login, querySecrets } = parseHidingKey(String(url), options);
  const credentials = readCredentials(options, login);
  const tls = new URL(address.requestUrl).protocol === "https:" ? readTls(options) : undefined;
  const { protocol } = new URL(address.requestUrl);
  return new Target({
    address,
    credentials: { ...credentials, secrets: [...credentials.secrets, ...querySecrets] },
    ...(options.model === undefined ? {} : { model: checkModel(options.model) }),
    ...(tls === undefined ? {} : { tls }),
    ignoredProxyVariables:
      address.socketPath === undefined ? ignoredProxyVariables(protocol, options.env) : [],
  });
}

/** The key itself may have been given as the address, which the error then repeats. */
function parseHidingKey(url: string, options: TargetOptions) {
  try {
    return parseEndpointAddress(url, options.endpoint);
  } catch (error) {
    if (!(error instanceof JoulemarkError)) throw error;
    const { secrets } = readCredentials(options);
    throw new JoulemarkError(error.code, redactorOf(secrets)(error.message));
  }
}

function readTls({ caFile, insecure }: TargetOptions): NonNullable<TargetParts["tls"]> {
  const isInsecure = insecure ?? false;
  if (caFile === undefined) return { isInsecure };
  let caPem: string;
  try {
    caPem = readFileSync(caFile, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw badCaFile(caFile, `could not be read (${code ?? "unknown error"})`);
  }
  if (!isCertificate(caPem)) throw badCaFile(caFile, "holds no certificate in PEM form");
  return { caPem, caFile, isInsecure };
}

function isCertificate(pem: string): boolean {
  try {
    createSecureContext({ ca: pem });
    return pem.includes("BEGIN CERTIFICATE") || pem.includes("BEGIN TRUSTED CERTIFICATE");
  } catch {
    return false;
  }
}

function checkModel(model: string): string {
  if (model.trim() !== "") return model;
  throw new JoulemarkError("bad_option", "--model is empty; leave it out to use the one model");
}

function badCaFile(caFile: string, why: string): JoulemarkError {
  return new JoulemarkError("bad_option", `--ca-file ${caFile} ${why}`);
}
