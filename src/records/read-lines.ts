import { createReadStream } from "node:fs";

/** What was wrong with one file of a run, in words. */
export type TellDamage = (problem: string) => void;

/**
 * The entries of a `.jsonl` file, one after the other; of a file that is not there, none.
 *
 * A line that cannot be read is told and skipped: a run that was killed leaves half of one, and a
 * run that went on after that has it in the middle.
 */
export async function* readEntries(path: string, tell: TellDamage): AsyncGenerator<object[]> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  let lineNumber = 0;
  let rest = "";
  const parse = (line: string): object | undefined => {
    lineNumber++;
    if (line === "") return undefined;
    const entry = parsed(line);
    if (entry === undefined) tell(`${name}, line ${lineNumber}: not whole, left out`);
    return entry;
  };
  try {
    for await (const text of createReadStream(path, { encoding: "utf8", highWaterMark: 1 << 18 })) {
      const lines = (rest + (text as string)).split("\n");
      rest = lines.pop() ?? "";
      yield lines.map(parse).filter((entry) => entry !== undefined);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const last = parse(rest);
  if (last !== undefined) yield [last];
}

function parsed(line: string): object | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === "object" && entry !== null ? entry : undefined;
  } catch {
    return undefined;
  }
}
