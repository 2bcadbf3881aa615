import { RailUnreadableError } from "../../errors.ts";
import { explainOutput, refusedField } from "./explain-output.ts";
import { askOnce, type OneShotOptions } from "./one-shot.ts";

/** The answer to a query of columns, or the field that the driver does not know. */
export interface Asked {
  readonly rows: readonly (readonly string[])[];
  readonly refused?: string;
  readonly output: string;
  readonly exitCode: number | null;
}

/**
 * Asks for these columns of every GPU, once.
 *
 * @throws {RailUnreadableError} when what comes back is no table of them.
 */
export async function ask(columns: readonly string[], options: OneShotOptions): Promise<Asked> {
  const query = `--query-gpu=${columns.join(",")}`;
  const { exitCode, stdout, stderr } = await askOnce(
    [query, "--format=csv,noheader,nounits"],
    options,
  );
  const output = `${stdout}\n${stderr}`;
  const refused = refusedField(output);
  if (refused !== undefined) return { rows: [], refused, output, exitCode };
  const rows = stdout
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map((line) => cellsOf(line, columns));
  const isTable = rows.length > 0 && rows.every((row) => row.length === columns.length);
  if (exitCode !== 0 || !isTable) throw unreadable(output, exitCode);
  return { rows, output, exitCode };
}

/** The cells of a line; a name in the last column keeps its commas. */
function cellsOf(line: string, columns: readonly string[]): readonly string[] {
  const cells = line.split(",").map((text) => text.trim());
  if (columns.at(-1) !== "name" || cells.length <= columns.length) return cells;
  const last = columns.length - 1;
  return [...cells.slice(0, last), cells.slice(last).join(", ")];
}

/** An output that is no answer, as the reason why the rail cannot be read. */
export function unreadable(output: string, exitCode?: number | null): RailUnreadableError {
  const { said, remedy } = explainOutput(output);
  const code =
    exitCode === undefined || exitCode === 0 ? "" : ` (exit code ${exitCode ?? "none, killed"})`;
  return new RailUnreadableError(`nvidia-smi said ${said}${code}`, remedy);
}
