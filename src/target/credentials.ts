import { readFileSync } from "node:fs";
import { JoulemarkError } from "../errors.ts";

export interface CredentialOptions {
  /** The environment variable that holds the key, sent as a bearer token. */
  readonly apiKeyEnv?: string;
  /** A file that holds the key, and nothing else but white space around it. */
  readonly apiKeyFile?: string;
  /** More headers, as `X-Name=ENV`: the value is that of the environment variable `ENV`. */
  readonly headerEnv?: readonly string[];
  /** Default: the process' own. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** What a request carries to be let in. SECRET, apart from `auth`, `apiKeyFrom`, `headerNames`. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Each text that must not be shown. */
  readonly secrets: readonly string[];
  readonly auth: "none" | "bearer" | "basic" | "header";
  /** Where the key came from, in words. */
  readonly apiKeyFrom?: string;
  /** Headers that `headerEnv` added, in lower case. */
  readonly headerNames: readonly string[];
}

export interface Login {
  readonly user: string;
  readonly password: string;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VARIABLE_NAME = /^[A-Za-z_]\w*$/;
/** What a variable's name is by custom; anything else may be a key that was pasted in its place. */
const SHOWN_VARIABLE_NAME = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$/;
/** These say how the message is sent, and that is decided where it is. */
const OWN_HEADERS = ["host", "content-length", "transfer-encoding", "connection"];
/** A user name without a password, or as long as this, is a token. */
const TOKEN_LENGTH = 16;

/**
 * Reads the secrets of a target from where they are kept; never from the command line.
 *
 * @param login - what stood before the `@` of the URL.
 * @throws {JoulemarkError} `bad_option`, which names where it looked and never what it found.
 */
export function readCredentials(options: CredentialOptions, login?: Login): Credentials {
  const key = readKey(options);
  const extra = (options.headerEnv ?? []).map((text) => readHeader(text, options));
  const headerNames = extra.map(([name]) => name);
  const ways = [
    ...(key === undefined ? [] : [`the key from ${key.from}`]),
    ...(login === undefined ? [] : ["the user name in --target"]),
    ...(headerNames.includes("authorization") ? ["--header-env Authorization=…"] : []),
  ];
  if (ways.length > 1) throw bad(`${ways.join(" and ")} both set Authorization: give one of them`);
  const basic = login && Buffer.from(`${login.user}:${login.password}`).toString("base64");
  return {
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key.value}` }),
      ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
      ...Object.fromEntries(extra),
    },
    secrets: [
      ...(key === undefined ? [] : [key.value]),
      ...(login === undefined ? [] : loginSecrets(login)),
      ...(basic === undefined ? [] : [basic]),
      ...extra.flatMap(([, value]) => headerSecrets(value)),
    ],
    auth: authOf(key !== undefined, login !== undefined, extra.length > 0),
    ...(key === undefined ? {} : { apiKeyFrom: key.from }),
    headerNames,
  };
}

function authOf(hasKey: boolean, hasLogin: boolean, hasHeaders: boolean): Credentials["auth"] {
  if (hasKey) return "bearer";
  if (hasLogin) return "basic";
  return hasHeaders ? "header" : "none";
}

function readKey({ apiKeyEnv, apiKeyFile, env }: CredentialOptions) {
  if (apiKeyEnv !== undefined && apiKeyFile !== undefined) {
    throw bad("the key is either in a variable or in a file: give one of them");
  }
  if (apiKeyEnv !== undefined) {
    return {
      value: readVariable("--api-key-env", apiKeyEnv, env),
      from: `the variable ${shownVariable(apiKeyEnv)}`,
    };
  }
  if (apiKeyFile === undefined) return undefined;
  return { value: readKeyFile(apiKeyFile), from: `the file ${apiKeyFile}` };
}

function readKeyFile(path: string): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw bad(`the key file ${path} could not be read (${code ?? "unknown error"})`);
  }
  return checkValue(text.trim(), `the key file ${path}`);
}

function readHeader(text: string, { env }: CredentialOptions): [name: string, value: string] {
  const at = text.indexOf("=");
  const name = text.slice(0, Math.max(at, 0)).trim();
  if (!HEADER_NAME.test(name)) throw bad("--header-env is NAME=ENV, as X-Tenant=MY_TENANT");
  const lowered = name.toLowerCase();
  if (OWN_HEADERS.includes(lowered)) throw bad(`--header-env ${name}=…: joulemark sets ${lowered}`);
  return [lowered, readVariable(`--header-env ${name}=`, text.slice(at + 1).trim(), env)];
}

function readVariable(flag: string, name: string, env: CredentialOptions["env"]): string {
  if (!VARIABLE_NAME.test(name)) {
    throw bad(`${flag} takes the name of an environment variable, not the secret itself`);
  }
  const shown = shownVariable(name);
  const value = (env ?? process.env)[name];
  if (value === undefined) throw bad(`${flag} ${shown}: there is no such environment variable`);
  return checkValue(value.trim(), `the environment variable ${shown}`);
}

function checkValue(value: string, where: string): string {
  if (value === "") throw bad(`${where} is empty`);
  // What a header may hold (RFC 9110, 5.5); more than Latin-1 cannot be sent.
  if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
    throw bad(`${where} holds a line break or another character that no header can carry`);
  }
  return value;
}

function shownVariable(name: string): string {
  return SHOWN_VARIABLE_NAME.test(name) ? name : `${name.slice(0, 2)}…`;
}

function loginSecrets({ user, password }: Login): string[] {
  const isToken = password === "" || user.length >= TOKEN_LENGTH;
  return isToken ? [user, password] : [password];
}

/** `Bearer abc` is secret as a whole and without its scheme, since texts show either. */
function headerSecrets(value: string): string[] {
  const [, token] = /^[A-Za-z]+ +(\S+)$/.exec(value) ?? [];
  return token === undefined ? [value] : [value, token];
}

function bad(message: string): JoulemarkError {
  return new JoulemarkError("bad_option", message);
}
