import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type RooflineCase, type RooflineMode, roofline } from "../src/benchmarks/roofline.ts";
import { parseTarget } from "../src/target/parse-target.ts";
import type { CpuCategories } from "./cpu-categories.ts";

/** Where the instant server's time went in one mode. */
export interface InstantProfile extends CpuCategories {
  readonly mode: RooflineMode;
}

const PROFILED = fileURLToPath(new URL("./profiled-instant.js", import.meta.url));

/** Runs each case against a server that profiles itself; it is slower than one that does not. */
export async function instantProfiles(
  cases: readonly RooflineCase[],
): Promise<readonly InstantProfile[]> {
  const child = spawn(process.execPath, [PROFILED], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<unknown> => JSON.parse((await lines.next()).value as string);
  const { url } = (await answer()) as { url: string };
  const target = parseTarget(url, { model: "instant" });
  const profiles: InstantProfile[] = [];
  for (const one of cases) {
    child.stdin.write("start\n");
    for await (const _ of roofline(target, [one])) child.stdin.write("stop\n");
    profiles.push({ mode: one.mode, ...((await answer()) as CpuCategories) });
  }
  child.stdin.end();
  return profiles;
}
