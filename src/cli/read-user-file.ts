import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** No file that a flag names is longer: what is meant to be read by people is far shorter. */
const MOST_BYTES = 2 ** 20;

/** A file that a flag names cannot be read; the message says why, without the file's name. */
export class UnreadableFile extends Error {}

/**
 * The text of a file that a flag names. Anything but a regular file of a sane size is refused,
 * since a pipe or a device may never come to an end.
 *
 * @throws {UnreadableFile}
 */
export function readUserFile(path: string): string {
  let file: number | undefined;
  try {
    // Without O_NONBLOCK a pipe that nobody writes to is never even opened.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const facts = fstatSync(file);
    if (!facts.isFile())
      throw new UnreadableFile(facts.isDirectory() ? "it is a folder" : "it is no regular file");
    if (facts.size > MOST_BYTES) throw new UnreadableFile("it is larger than 1 MiB");
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    throw new UnreadableFile((error as NodeJS.ErrnoException).code ?? "unknown error");
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
