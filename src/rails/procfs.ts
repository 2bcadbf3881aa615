import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Where Linux mounts procfs. */
export const PROC_ROOT = "/proc";

/** The processes that are visible in a procfs. */
export async function listPids(procRoot: string): Promise<number[]> {
  const names = await readdir(procRoot);
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/**
 * One file of a process, as text.
 *
 * @returns `undefined` when the process is gone, which may happen at any moment, or hides the file.
 */
export async function readProcessFile(
  procRoot: string,
  pid: number,
  name: string,
): Promise<string | undefined> {
  try {
    return await readFile(join(procRoot, String(pid), name), "utf8");
  } catch {
    return undefined;
  }
}

/** Whether a file of a process could not be read because the process, or the file, is gone. */
export function isGone(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ESRCH";
}

/** The system's code of a failed file operation, or `unknown error`. */
export function errorCode(error: unknown): string {
  const hasCode = error instanceof Error && "code" in error && typeof error.code === "string";
  return hasCode ? String(error.code) : "unknown error";
}
