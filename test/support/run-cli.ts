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

interface StartOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
}

/** Starts `joulemark` with these arguments; it has no terminal. */
export function startCli(args: readonly string[], options: StartOptions = {}): CliRun {
  return startProgram(process.execPath, [MAIN, ...args], options);
}

/** Starts any program. */
export function startProgram(
  program: string,
  args: readonly string[],
  { env = process.env, input = "" }: StartOptions = {},
): CliRun {
  const child = spawn(program, args, { env, stdio: "pipe" });
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
