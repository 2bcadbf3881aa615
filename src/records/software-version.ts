import { createRequire } from "node:module";

const require: NodeJS.Require = createRequire(import.meta.url);

/** The version of this package, as its package.json says; by its name, since builds lie at several depths. */
export function softwareVersion(): string {
  return (require("joulemark/package.json") as { version: string }).version;
}
