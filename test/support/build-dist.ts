import { execFileSync } from "node:child_process";

/** Compiles `src/` to `dist/` once: worker threads and commands are tested as they ship. */
export default function buildDist(): void {
  execFileSync("npx", ["--no-install", "tsc", "-p", "tsconfig.build.json"], { stdio: "inherit" });
}
