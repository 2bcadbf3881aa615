import { readFileSync } from "node:fs";

/** The version of this package, as its package.json says. */
export function softwareVersion(): string {
  const manifest = new URL("../../package.json", import.meta.url);
  return (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version;
}
