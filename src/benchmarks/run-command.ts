import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { nowMs } from "../clock.ts";
import type { CommandEnd } from "../records/measure-result.ts";

export interface RunCommandOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Gives the command this program's stderr as its stdout, which then is free for a result. */
  readonly stdoutToStderr: boolean;
}

/** Signals that end a program politely; the command is to end by them, not what measures it. */
const POLITE = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Runs a command with this program's own stdin, stdout and stderr, and waits for it. */
export async function runCommand(options: RunCommandOptions): Promise<CommandEnd> {
  const { command, args, stdoutToStderr } = options;
  const startMs = nowMs();
  const child = spawn(command, args, {
    stdio: ["inherit", stdoutToStderr ? 2 : "inherit", "inherit"],
  });
  const forward = (signal: NodeJS.Signals): void => {
    // A key at the terminal reaches the command by itself; a second copy could be taken for more.
    if (!(isFromKey(signal) && isInForeground())) child.kill(signal);
  };
  for (const signal of POLITE) process.on(signal, forward);
  try {
    return await new Promise((resolve) => {
      child.once("error", (error: NodeJS.ErrnoException) => {
        const exitCode = error.code === "ENOENT" ? 127 : 126;
        resolve({ startMs, endMs: nowMs(), exitCode, failure: error.message });
      });
      child.once("exit", (code, signal) => {
        const endMs = nowMs();
        if (signal === null) resolve({ startMs, endMs, exitCode: code ?? 1 });
        else resolve({ startMs, endMs, exitCode: exitCodeOf(signal), signal });
      });
    });
  } finally {
    for (const signal of POLITE) process.off(signal, forward);
  }
}

/** The exit code that shells give to a program that a signal killed. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

function isFromKey(signal: NodeJS.Signals): boolean {
  return signal === "SIGINT" || signal === "SIGQUIT";
}

/** Whether this program is in the terminal's foreground group, to which keys send their signals. */
function isInForeground(): boolean {
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    // Behind the name in parentheses: state ppid pgrp session tty_nr tpgid …
    const [, , pgrp, , , tpgid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return pgrp === tpgid;
  } catch {
    return [process.stdin, process.stdout, process.stderr].some((stream) => stream.isTTY);
  }
}
