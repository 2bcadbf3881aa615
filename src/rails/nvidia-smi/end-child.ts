import type { ChildProcess } from "node:child_process";

/** How long a child may take to end after SIGTERM, and then after SIGKILL, in ms. */
const GRACE_MS = 500;

/** Calls back once when the child could not be started or has ended and its output is read. */
export function waitForEnd(
  child: ChildProcess,
  done: (
    error: NodeJS.ErrnoException | undefined,
    code: number | null,
    signal: NodeJS.Signals | null,
  ) => void,
): void {
  let isDone = false;
  const once: typeof done = (...outcome) => {
    if (isDone) return;
    isDone = true;
    done(...outcome);
  };
  child.once("error", (error) => once(error, null, null));
  child.once("close", (code, signal) => once(undefined, code, signal));
  // A grandchild can hold the pipes open after the child has gone.
  child.once("exit", (code, signal) => setTimeout(() => once(undefined, code, signal), 100));
}

/**
 * Ends a child and its process group: SIGTERM, then SIGKILL.
 *
 * Returns when it is gone, or after twice the grace time: a process in uninterruptible sleep obeys
 * nothing, and nobody waits for it.
 */
export async function killChild(child: ChildProcess): Promise<void> {
  for (const signal of ["SIGTERM", "SIGKILL"] as const) {
    if (hasEnded(child)) break;
    signalGroup(child.pid, signal);
    await endOf(child, GRACE_MS);
  }
  // A wrapper may have ended by SIGTERM and left what it started; the group outlives its leader.
  signalGroup(child.pid, "SIGKILL");
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.unref();
}

/**
 * Sends a signal to all that is left of the process group that `leaderPid` leads; silent when
 * nothing is.
 */
export function signalGroup(leaderPid: number | undefined, signal: NodeJS.Signals): void {
  if (leaderPid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? leaderPid : -leaderPid, signal);
  } catch {
    // Gone already.
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
}

async function endOf(child: ChildProcess, withinMs: number): Promise<void> {
  if (hasEnded(child)) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, withinMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
