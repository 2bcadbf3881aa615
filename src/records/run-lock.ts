import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { JoulemarkError } from "../errors.ts";

/** Holds the id of the process that writes into a run folder, while it does. */
const LOCK = "run.lock";

/**
 * Takes a run folder for this process; two that write into one would mix their figures. A lock whose
 * process is gone is taken over, and one that cannot be written stops no run.
 *
 * @returns gives the folder free again.
 * @throws {JoulemarkError} `bad_option` while another process has it.
 */
export async function lockRun(dir: string): Promise<() => Promise<void>> {
  const path = join(dir, LOCK);
  const owner = Number(await readFile(path, "utf8").catch(() => ""));
  if (owner > 0 && owner !== process.pid && isAlive(owner)) {
    throw new JoulemarkError(
      "bad_option",
      `${dir} is being written by process ${owner}: wait for its end, or remove ${path} if that process is no joulemark`,
    );
  }
  await writeFile(path, String(process.pid)).catch(() => undefined);
  return async () => {
    await rm(path, { force: true }).catch(() => undefined);
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Someone else's process is there too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
