const NAMES_BY_PROTOCOL: Readonly<Record<string, readonly string[]>> = {
  "http:": ["http_proxy", "all_proxy"],
  "https:": ["https_proxy", "all_proxy"],
};

/**
 * Names of the variables that would send other programs through a proxy; their values, which may
 * hold passwords, are not read further.
 *
 * The one rule here: joulemark always connects directly, since the time of a proxy is not that of
 * the server, and says in the record which variables it ignored.
 */
export function ignoredProxyVariables(
  protocol: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): readonly string[] {
  const names = NAMES_BY_PROTOCOL[protocol] ?? [];
  return names.flatMap((name) => [name, name.toUpperCase()]).filter((name) => env[name]);
}
