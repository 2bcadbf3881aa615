import { askOnce, type OneShotOptions } from "./one-shot.ts";

/** What the driver says of one process on one GPU, over about the last second. */
export interface ProcessWork {
  readonly deviceIndex: number;
  readonly pid: number;
  /** Share of the time in which its kernels ran, in percent; absent where the driver tells none. */
  readonly smPercent?: number;
}

/**
 * Which processes work, by the driver's own account.
 *
 * @returns `undefined` where the driver or the GPU has no such account.
 * @throws {RailUnreadableError} when nvidia-smi cannot be asked.
 */
export async function askProcessWork(
  options: OneShotOptions,
): Promise<readonly ProcessWork[] | undefined> {
  const { stdout } = await askOnce(["pmon", "-c", "1", "-s", "u"], options);
  return parseProcessWork(stdout);
}

/**
 * Reads the table of `nvidia-smi pmon`; its columns differ by driver, so the header names them.
 *
 * @returns `undefined` for a text that is no such table.
 */
export function parseProcessWork(text: string): readonly ProcessWork[] | undefined {
  const lines = text.split(/\r?\n/);
  const names = lines
    .filter((line) => line.startsWith("#"))
    .map((line) => wordsOf(line.slice(1)))
    .find((words) => ["gpu", "pid", "sm"].every((name) => words.includes(name)));
  if (names === undefined) return undefined;
  const cellsOf = (line: string) => {
    const words = wordsOf(line);
    return ["gpu", "pid", "sm"].map((name) => wholeNumber(words[names.indexOf(name)]));
  };
  return lines.flatMap((line): ProcessWork[] => {
    const [deviceIndex, pid, smPercent] = cellsOf(line);
    if (deviceIndex === undefined || pid === undefined) return [];
    return [{ deviceIndex, pid, ...(smPercent === undefined ? {} : { smPercent }) }];
  });
}

function wordsOf(line: string): readonly string[] {
  return line.trim().split(/\s+/);
}

/** `undefined` for `-`, which stands for whatever is not known, and for a GPU without a process. */
function wholeNumber(cell: string | undefined): number | undefined {
  return cell !== undefined && /^\d+$/.test(cell) ? Number(cell) : undefined;
}
