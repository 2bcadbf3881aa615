import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { JoulemarkError } from "../errors.ts";
import { jsonText } from "./json-text.ts";
import { LineWriter } from "./line-writer.ts";
import { lockRun } from "./run-lock.ts";

/** So many names are tried for a folder: runs that start in the same second may draw the same one. */
const MOST_TRIES = 100;

/** What a folder answers in which nobody may write. */
const NOT_WRITABLE: readonly unknown[] = ["EACCES", "EPERM", "EROFS"];

/** Writes a whole file, so that a reader sees the old one or the new one, never a part. */
export async function writeWhole(path: string, content: string): Promise<void> {
  // A name of its own: two programs may make the same record at the same time.
  const part = `${path}.${randomBytes(3).toString("hex")}.part`;
  try {
    await writeFile(part, content);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Where a run leaves what it measured, while it measures it. */
export interface RunFolder {
  readonly path: string;
  /**
   * Adds one line to a `.jsonl` file. It is written at once, and a line of `events.jsonl` not before
   * the lines of other files that were added before it.
   */
  append(file: string, entry: object): void;
  /** Writes a whole file, so that a reader sees the old one or the new one, never a part. */
  write(file: string, content: object): Promise<void>;
  /** What cannot be written at the moment, once for each file; it is tried again. */
  readonly failures: readonly string[];
  /**
   * Resolves when every line up to now is written.
   *
   * @returns what could not be written up to now, once for each file.
   */
  flush(): Promise<readonly string[]>;
  /** Resolves when everything is written, and takes no more. @returns as `flush`. */
  close(): Promise<readonly string[]>;
}

/**
 * Makes a new folder `<UTC time>-<benchmark>-<4 hex>` for one run; none is ever overwritten.
 *
 * A full disk does not end the run: what could not be written is told by `close()`.
 *
 * @param parent - made where it is missing.
 * @throws {JoulemarkError} `bad_option` where nobody may write, and what the file system says when
 *   the folder cannot be made for another reason.
 */
export async function createRunFolder(parent: string, benchmark: string): Promise<RunFolder> {
  try {
    await makeFolders(parent);
    const path = await makeNamed(parent, benchmark);
    return folderAt(path, await lockRun(path));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (!NOT_WRITABLE.includes(code)) throw cause;
    throw new JoulemarkError(
      "bad_option",
      `no run folder can be made in ${parent} (${message}): name a folder that can be written`,
      { cause },
    );
  }
}

async function makeNamed(parent: string, benchmark: string): Promise<string> {
  for (let tries = 1; ; tries++) {
    const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
    const path = join(parent, `${time}Z-${benchmark}-${randomBytes(2).toString("hex")}`);
    try {
      await mkdir(path);
      return path;
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EEXIST";
      if (!isTaken || tries === MOST_TRIES) throw error;
    }
  }
}

/**
 * Opens the folder of a run that is to go on; what is torn at the end of its files is closed off.
 *
 * @throws {JoulemarkError} `bad_option` while another process writes into it.
 */
export async function openRunFolder(path: string): Promise<RunFolder> {
  const unlock = await lockRun(path);
  for (const file of await readdir(path)) {
    if (file.endsWith(".jsonl")) await endLine(join(path, file));
  }
  return folderAt(path, unlock);
}

/** A killed run leaves half a line, which nothing new may be glued to. */
async function endLine(path: string): Promise<void> {
  const { size } = await stat(path);
  if (size === 0) return;
  const file = await open(path, "r+");
  try {
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] !== 0x0a) await file.write("\n", size);
  } finally {
    await file.close();
  }
}

function folderAt(path: string, unlock: () => Promise<void>): RunFolder {
  const lines = new LineWriter(path);
  return {
    path,
    append(file, entry) {
      lines.add(file, jsonText(entry));
    },
    async write(file, content) {
      await writeWhole(join(path, file), `${jsonText(content, 2)}\n`);
    },
    get failures() {
      return lines.failures;
    },
    flush: async () => lines.flush(),
    async close() {
      const failures = await lines.close();
      await unlock();
      return failures;
    },
  };
}

/** Not Node's recursive `mkdir`: below /proc that never ends (nodejs/node, seen with Node 20.20.2). */
async function makeFolders(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    if (code !== "ENOENT" || existsSync(path) || existsSync(dirname(path))) throw error;
    await makeFolders(dirname(path));
    await mkdir(path);
  }
}
