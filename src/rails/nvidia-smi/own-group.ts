import { type ChildProcess, spawn } from "node:child_process";
import { onExit } from "signal-exit";
import { signalGroup } from "./end-child.ts";

/**
 * Starts a program in a process group of its own: a Ctrl-C at the terminal does not reach it, and
 * whatever it starts in turn can be ended with it.
 *
 * @throws what `spawn` throws for a path that cannot be one.
 */
export function spawnOwnGroup(path: string, args: readonly string[]): ChildProcess {
  return spawn(path, args, {
    stdio: ["ignore", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

/** Ends the group at once when this program ends. @returns to be called when it is gone. */
export function endWithProgram(pid: () => number | undefined): () => void {
  return onExit(() => signalGroup(pid(), "SIGKILL"));
}
