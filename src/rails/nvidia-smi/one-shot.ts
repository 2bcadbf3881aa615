import type { ChildProcess } from "node:child_process";
import { RailUnreadableError } from "../../errors.ts";
import { signalGroup } from "./end-child.ts";
import { RUN_BY_HAND, shown } from "./explain-output.ts";
import { endWithProgram, spawnOwnGroup } from "./own-group.ts";
import { whileBusy } from "./while-busy.ts";

/** What helps when a driver that works answers too late. */
export const WAIT_LONGER =
  "without persistence mode the driver may still be loading (nvidia-smi -pm 1 keeps it loaded); --rail-wait gives it longer";

/** No answer of a one-shot query comes near this size. */
const MOST_OUTPUT = 1_000_000;

export interface OneShotOptions {
  /** The program: a path, or a name that is looked up in PATH. */
  readonly path: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface OneShotAnswer {
  /** `null` when the program was killed by a signal. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs nvidia-smi once and waits for its answer.
 *
 * @throws {RailUnreadableError} when it cannot be started, or has not ended in time;
 *   then it is killed and not waited for.
 */
export async function askOnce(
  args: readonly string[],
  options: OneShotOptions,
): Promise<OneShotAnswer> {
  return whileBusy(() => startAndAsk(args, options));
}

async function startAndAsk(
  args: readonly string[],
  { path, timeoutMs, signal }: OneShotOptions,
): Promise<OneShotAnswer> {
  signal?.throwIfAborted();
  const child = startOrExplain(path, args);
  const forgetExit = endWithProgram(() => child.pid);
  const out = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      out[name] = (out[name] + text).slice(0, MOST_OUTPUT);
    });

  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  try {
    return await new Promise((resolve, reject) => {
      child.on("error", (error) => reject(cannotStart(path, error)));
      child.on("close", (exitCode) => resolve({ exitCode, ...out }));
      timer = setTimeout(() => reject(tooSlow(path, timeoutMs, out)), timeoutMs);
      onAbort = () => reject(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  } finally {
    clearTimeout(timer);
    if (onAbort) signal?.removeEventListener("abort", onAbort);
    // It may hang, or have left something running: nothing waits for that any more.
    signalGroup(child.pid, "SIGKILL");
    forgetExit();
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }
}

function startOrExplain(path: string, args: readonly string[]): ChildProcess {
  try {
    return spawnOwnGroup(path, args);
  } catch (error) {
    throw cannotStart(path, error as NodeJS.ErrnoException);
  }
}

/** The reason why a program did not start, with the remedy. */
export function cannotStart(path: string, error: NodeJS.ErrnoException): RailUnreadableError {
  const place = path.includes("/") ? "" : " in PATH";
  if (error.code === "ENOENT")
    return new RailUnreadableError(
      `${path} was not found${place}`,
      "install the NVIDIA driver's tools, or name the program with --nvidia-smi PATH",
      { cause: error },
    );
  if (error.code === "EACCES")
    return new RailUnreadableError(
      `${path} may not be executed`,
      "make it executable, or name another program with --nvidia-smi PATH",
      { cause: error },
    );
  return new RailUnreadableError(`${path} could not be started (${error.message})`, RUN_BY_HAND, {
    cause: error,
  });
}

function tooSlow(
  path: string,
  timeoutMs: number,
  { stdout, stderr }: { stdout: string; stderr: string },
): RailUnreadableError {
  const said = shown(`${stdout}\n${stderr}`, 200);
  return new RailUnreadableError(
    `${path} did not answer a query within ${(timeoutMs / 1000).toFixed(1)} s${said === "" ? "" : ` (so far: ${said})`}`,
    WAIT_LONGER,
  );
}
