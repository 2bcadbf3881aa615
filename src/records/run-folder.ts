import { randomBytes } from "node:crypto";
import { createWriteStream, existsSync, type WriteStream } from "node:fs";
import { mkdir, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Where a run leaves what it measured, while it measures it. */
export interface RunFolder {
  readonly path: string;
  /** Adds one line to a `.jsonl` file; it reaches the system at once. */
  append(file: string, entry: object): void;
  /** Writes a whole file, so that a reader sees the old one or the new one, never a part. */
  write(file: string, content: object): Promise<void>;
  /** Resolves when everything is written. @returns what could not be written, once for each file. */
  close(): Promise<readonly string[]>;
}

/**
 * Makes a new folder `<UTC time>-<benchmark>-<4 hex>` for one run; none is ever overwritten.
 *
 * A full disk does not end the run: what could not be written is told by `close()`.
 *
 * @param parent - made where it is missing.
 * @throws what the file system says when the folder cannot be made.
 */
export async function createRunFolder(parent: string, benchmark: string): Promise<RunFolder> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, "");
  const path = join(parent, `${time}Z-${benchmark}-${randomBytes(2).toString("hex")}`);
  await makeFolders(parent);
  await mkdir(path);
  const streams = new Map<string, WriteStream>();
  const failures = new Map<string, string>();

  const streamOf = (file: string): WriteStream => {
    let stream = streams.get(file);
    if (stream === undefined) {
      stream = createWriteStream(join(path, file), { flags: "a" });
      stream.on("error", (error) => failures.set(file, `${file}: ${error.message}`));
      streams.set(file, stream);
    }
    return stream;
  };
  return {
    path,
    append(file, entry) {
      if (!failures.has(file)) streamOf(file).write(`${JSON.stringify(entry)}\n`);
    },
    async write(file, content) {
      const part = join(path, `${file}.part`);
      await writeFile(part, `${JSON.stringify(content, null, 2)}\n`);
      await rename(part, join(path, file));
    },
    async close() {
      await Promise.all([...streams.values()].map(endOf));
      return [...failures.values()];
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

async function endOf(stream: WriteStream): Promise<void> {
  if (stream.destroyed) return;
  await new Promise<void>((resolve) => {
    stream.once("close", () => resolve());
    stream.end();
  });
}
