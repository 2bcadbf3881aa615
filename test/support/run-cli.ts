import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** A run of the command line as a process of its own. */
export interface CliRun {
  readonly child: ChildProcess;
  /** What it has said so far. */
  readonly said: { stdout: string; stderr: string };
  readonly ended: Promise<CliEnd>;
}

export interface CliEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts `joulemark` with these arguments; it has no terminal. */
export function startCli(
  args: readonly string[],
  { env = process.env, input = "" }: { env?: NodeJS.ProcessEnv; input?: string } = {},
): CliRun {
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: "pipe" });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
    });
  child.stdin.end(input);
  const ended = once(child, "close").then(([exitCode, signal]) => ({ exitCode, signal, ...said }));
  return { child, said, ended };
}

/** Runs `joulemark` to its end. */
export async function runCli(...args: Parameters<typeof startCli>): Promise<CliEnd> {
  return startCli(...args).ended;
}
