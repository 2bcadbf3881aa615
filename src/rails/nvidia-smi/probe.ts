import { knownText } from "../../energy/known-text.ts";
import { parseLine } from "../../energy/parse-line.ts";
import { RailUnreadableError } from "../../errors.ts";
import type { RailDevice } from "../source.ts";
import { explainOutput, RUN_BY_HAND, refusedField } from "./explain-output.ts";
import { askOnce, type OneShotOptions } from "./one-shot.ts";

/** The power fields, the better one first. Which of them a GPU has depends on it and its driver. */
const POWER_FIELDS = ["power.draw.average", "power.draw.instant", "power.draw"] as const;

const FLAG_SETS: readonly (readonly string[])[] = [
  ["clocks_event_reasons.sw_power_cap", "clocks_event_reasons.hw_power_brake_slowdown"],
  ["clocks_throttle_reasons.sw_power_cap", "clocks_throttle_reasons.hw_power_brake_slowdown"],
  [],
];

/** What nvidia-smi can say here: the columns to stream, and the GPUs that answer. */
export interface Probe {
  readonly columns: readonly string[];
  readonly powerField: string;
  readonly devices: readonly RailDevice[];
  readonly driverVersion?: string;
  /** Why nothing but power is known of the GPUs, where that is so. */
  readonly factsFailure?: string;
  /** GPUs that gave no number for `powerField`, with what they said instead. */
  readonly silent: ReadonlyMap<string, string>;
}

interface Answer {
  readonly field: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Finds the best power field that the GPUs have, with one-shot queries: an unknown field makes a
 * whole query fail, and `[N/A]` is normal.
 *
 * @throws {RailUnreadableError} with what nvidia-smi said and what helps.
 */
export async function probe(options: OneShotOptions): Promise<Probe> {
  const answers: Answer[] = [];
  for (const field of POWER_FIELDS) {
    const answer = await askPower(field, options);
    if (answer === undefined) continue;
    answers.push(answer);
    if (answer.rows.length > 0 && readable(answer).length === answer.rows.length) break;
  }
  const best = answers.toSorted((a, b) => readable(b).length - readable(a).length)[0];
  if (best === undefined || readable(best).length === 0) throw noPower(answers);

  const facts = await askFacts(options);
  const hasInstant = facts.rows.some((row) => isNumber(cell(facts, row, "power.draw.instant")));
  const useInstant = hasInstant && best.field !== "power.draw.instant";
  const driverVersion = knownText(facts.rows[0] && cell(facts, facts.rows[0], "driver_version"));
  return {
    columns: useInstant ? [...best.columns, "power.draw.instant"] : best.columns,
    powerField: best.field,
    devices: best.rows.map((row) => deviceOf(best, row, facts)),
    ...(driverVersion === undefined ? {} : { driverVersion }),
    ...(facts.failure === undefined ? {} : { factsFailure: facts.failure }),
    silent: new Map(
      best.rows
        .filter((row) => !isReadable(best, row))
        .map((row) => [idOf(best, row), row[0] ?? ""]),
    ),
  };
}

/** The answer with this power field; `undefined` when the driver does not know the field. */
async function askPower(field: string, options: OneShotOptions): Promise<Answer | undefined> {
  for (const flags of FLAG_SETS) {
    const columns = [field, ...flags, "index", "uuid"];
    const answer = await ask(columns, options);
    if (answer.refused === undefined) return { field, columns, rows: answer.rows };
    if (answer.refused === field) return undefined;
    if (!flags.includes(answer.refused)) throw unreadable(answer.output, answer.exitCode);
  }
  return undefined;
}

/** The name stands last, since it alone may hold a comma. */
const FACTS: readonly string[] = [
  "index",
  "uuid",
  "driver_version",
  "power.limit",
  "mig.mode.current",
  "power.draw.instant",
  "name",
];

/** What else the driver tells of its GPUs; what it does not know is left out. */
async function askFacts(options: OneShotOptions): Promise<Answer & { readonly failure?: string }> {
  let columns = FACTS;
  let failure = "the driver knows none of the fields";
  while (columns.length > 0) {
    try {
      const { rows, refused } = await ask(columns, options);
      if (refused === undefined) return { field: "", columns, rows };
      if (!columns.includes(refused)) break;
      columns = columns.filter((column) => column !== refused);
    } catch (error) {
      if (!(error instanceof RailUnreadableError)) throw error;
      failure = error.why;
      break;
    }
  }
  return { field: "", columns: [], rows: [], failure };
}

interface Asked {
  readonly rows: readonly (readonly string[])[];
  readonly refused?: string;
  readonly output: string;
  readonly exitCode: number | null;
}

async function ask(columns: readonly string[], options: OneShotOptions): Promise<Asked> {
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

function deviceOf(answer: Answer, row: readonly string[], facts: Answer): RailDevice {
  const id = idOf(answer, row);
  const own = facts.rows.find(
    (other) => cell(facts, other, "uuid") === id || cell(facts, other, "index") === id,
  );
  const fact = (column: string): string | undefined => knownText(own && cell(facts, own, column));
  const index = Number(knownText(cell(answer, row, "index")));
  const name = fact("name");
  const limit = fact("power.limit");
  return {
    id,
    ...(Number.isInteger(index) ? { index } : {}),
    ...(name === undefined ? {} : { name }),
    ...(isNumber(limit) ? { powerLimitW: Number(limit) } : {}),
    ...(fact("mig.mode.current") === "Enabled" ? { isPartitioned: true } : {}),
  };
}

/**
 * The id that the readings of this row will carry: its uuid where it has one of its own, else its
 * index. A row with neither gets an id that no reading carries, so that it counts as missing.
 */
function idOf(answer: Answer, row: readonly string[]): string {
  for (const column of ["uuid", "index"]) {
    const text = knownText(cell(answer, row, column));
    const isOwn = answer.rows.every(
      (other) => other === row || cell(answer, other, column) !== text,
    );
    if (text !== undefined && isOwn) return text;
  }
  return `GPU in row ${answer.rows.indexOf(row) + 1} (${row[0]})`;
}

function readable(answer: Answer): readonly (readonly string[])[] {
  return answer.rows.filter((row) => isReadable(answer, row));
}

function isReadable(answer: Answer, row: readonly string[]): boolean {
  return parseLine(row.join(","), 0, answer.columns) !== undefined;
}

function cell(answer: Answer, row: readonly string[], column: string): string | undefined {
  return row[answer.columns.indexOf(column)];
}

function isNumber(text: string | undefined): boolean {
  return text !== undefined && parseLine(text, 0) !== undefined;
}

function noPower(answers: readonly Answer[]): RailUnreadableError {
  const said = answers.flatMap((answer) =>
    answer.rows.map((row) => {
      const index = knownText(cell(answer, row, "index"));
      const name = index === undefined ? idOf(answer, row) : `GPU ${index}`;
      return `${name} ${answer.field} ${row[0]}`;
    }),
  );
  const { remedy } = explainOutput(said.join("\n"));
  return new RailUnreadableError(
    said.length === 0
      ? "the driver knows no power field"
      : `no GPU gives a power reading (${said.join(", ")})`,
    remedy === RUN_BY_HAND
      ? "this GPU or driver cannot be read; update the driver, or use another rail"
      : remedy,
  );
}

function unreadable(output: string, exitCode?: number | null): RailUnreadableError {
  const { said, remedy } = explainOutput(output);
  const code =
    exitCode === undefined || exitCode === 0 ? "" : ` (exit code ${exitCode ?? "none, killed"})`;
  return new RailUnreadableError(`nvidia-smi said ${said}${code}`, remedy);
}
