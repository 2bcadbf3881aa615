import type { Locality } from "./locality.ts";
import type { Target } from "./target.ts";

/** What must be known beside the figures of a target: how it is reached, and what that gives away. */
export function targetWarnings(target: Target, locality: Locality): readonly string[] {
  const { isInsecure, ignoredProxyVariables = [], auth } = target.toJSON();
  const isLocal = locality.state === "local";
  const warnings: string[] = [];
  if (isInsecure) warnings.push("the server's certificate is not checked (--insecure)");
  if (ignoredProxyVariables.length > 0 && !isLocal) {
    const names = ignoredProxyVariables.join(" and ");
    warnings.push(`${names} is set and not used: joulemark always connects directly`);
  }
  if (auth !== "none" && !isLocal && target.tls === undefined) {
    warnings.push("the key is sent over plain HTTP to another machine, where others may read it");
  }
  return warnings;
}
