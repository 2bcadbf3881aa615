import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { JoulemarkError } from "../errors.ts";

export interface FileLimitOptions {
  /** Where procfs is mounted. Default: `/proc`. */
  readonly procRoot?: string;
}

/** For files of the run, name servers, and whatever else the process opens meanwhile. */
const RESERVE = 32;

/**
 * Makes sure that so many streams at once find a file descriptor each: a run that lacks them would
 * book this machine's failures on the server.
 *
 * Node raises the soft limit to the hard one when it starts, so the hard one counts. Where procfs
 * does not say it, nothing is checked.
 *
 * @throws {JoulemarkError} `bad_option`, with the limit and how to raise it.
 */
export async function checkFileLimit(
  concurrency: number,
  { procRoot = "/proc" }: FileLimitOptions = {},
): Promise<void> {
  const limit = await readHardLimit(procRoot);
  if (limit === undefined) return;
  const inUse = await countOpenFiles(procRoot);
  if (concurrency + inUse + RESERVE <= limit) return;
  const most = Math.max(0, limit - inUse - RESERVE);
  throw new JoulemarkError(
    "bad_option",
    `${concurrency} requests at once need a file descriptor each, and this process may open ${limit} (${inUse} are open, ${RESERVE} are kept): at most ${most} can run at once; raise the hard limit (ulimit -Hn ${concurrency + inUse + RESERVE}, or --ulimit nofile=… of the container), or lower the concurrency`,
  );
}

async function readHardLimit(procRoot: string): Promise<number | undefined> {
  try {
    const text = await readFile(join(procRoot, "self", "limits"), "utf8");
    const [, hard] = /^Max open files +\S+ +(\d+)/m.exec(text) ?? [];
    return hard === undefined ? undefined : Number(hard);
  } catch {
    return undefined;
  }
}

async function countOpenFiles(procRoot: string): Promise<number> {
  try {
    return (await readdir(join(procRoot, "self", "fd"))).length;
  } catch {
    return 0;
  }
}
