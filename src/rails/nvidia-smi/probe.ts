import { knownText } from "../../energy/known-text.ts";
import { RailUnreadableError } from "../../errors.ts";
import type { RailDevice } from "../source.ts";
import {
  type Answer,
  cell,
  idOf,
  isReadable,
  isSilent,
  readable,
  used,
  wattsIn,
} from "./answer-rows.ts";
import { ask, unreadable } from "./ask-gpus.ts";
import { explainOutput, RUN_BY_HAND } from "./explain-output.ts";
import type { OneShotOptions } from "./one-shot.ts";

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

/**
 * Finds the best power field that the GPUs have, with one-shot queries: an unknown field makes a
 * whole query fail, and `[N/A]` is normal.
 *
 * @param wanted - the GPUs that will be read, by index or uuid; default all.
 * @throws {RailUnreadableError} with what nvidia-smi said and what helps.
 */
export async function probe(options: OneShotOptions, wanted?: readonly string[]): Promise<Probe> {
  const answers: Answer[] = [];
  for (const field of POWER_FIELDS) {
    const answer = await askPower(field, options);
    if (answer === undefined) continue;
    answers.push(answer);
    // GPUs that are not used have no say in which field is read.
    if (readable(answer, wanted).length === used(answer, wanted).length) break;
  }
  const best = answers.toSorted(
    (a, b) => readable(b, wanted).length - readable(a, wanted).length,
  )[0];
  if (best === undefined || isSilent(best, wanted)) throw noPower(answers);

  const facts = await askFacts(options);
  const hasInstant = facts.rows.some(
    (row) => wattsIn(cell(facts, row, "power.draw.instant")) !== undefined,
  );
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

/**
 * The answer with this power field; `undefined` when the driver does not know the field.
 *
 * Flags go by another name in older drivers; what has none here is not asked for, and `uuid` and
 * `index` can stand for each other.
 */
async function askPower(field: string, options: OneShotOptions): Promise<Answer | undefined> {
  let [flags = [], ...olderFlags] = FLAG_SETS;
  let ids: readonly string[] = ["index", "uuid"];
  for (;;) {
    const columns = [field, ...flags, ...ids];
    const { rows, refused, output, exitCode } = await ask(columns, options);
    if (refused === undefined) return { field, columns, rows };
    if (refused === field) return undefined;
    if (flags.includes(refused)) [flags = [], ...olderFlags] = olderFlags;
    else if (ids.includes(refused) && ids.length > 1) ids = ids.filter((id) => id !== refused);
    else throw unreadable(output, exitCode);
  }
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
  let failure: string | undefined;
  for (;;) {
    try {
      const { rows, refused } = await ask(columns, options);
      if (refused === undefined) return { field: "", columns, rows };
      if (!columns.includes(refused)) break;
      columns = columns.filter((column) => column !== refused);
    } catch (error) {
      if (!(error instanceof RailUnreadableError)) throw error;
      // Once more: a GPU whose name is not known could be a simulated one, or split.
      if (failure !== undefined) break;
      failure = error.why;
    }
  }
  return { field: "", columns: [], rows: [], failure: failure ?? "the driver refuses them" };
}

function deviceOf(answer: Answer, row: readonly string[], facts: Answer): RailDevice {
  const id = idOf(answer, row);
  const own = facts.rows.find(
    (other) => cell(facts, other, "uuid") === id || cell(facts, other, "index") === id,
  );
  const fact = (column: string): string | undefined => knownText(own && cell(facts, own, column));
  const index = Number(knownText(cell(answer, row, "index")));
  const name = fact("name");
  const powerLimitW = wattsIn(fact("power.limit"));
  return {
    id,
    ...(Number.isInteger(index) ? { index } : {}),
    ...(name === undefined ? {} : { name }),
    ...(powerLimitW === undefined || powerLimitW === 0 ? {} : { powerLimitW }),
    ...(fact("mig.mode.current") === "Enabled" ? { isPartitioned: true } : {}),
  };
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
  const isToken = answers.some(({ rows }) => rows.some(([text]) => knownText(text) === undefined));
  return new RailUnreadableError(
    said.length === 0
      ? "the driver knows no power field"
      : `no GPU gives a power reading (${said.join(", ")})`,
    remedy === RUN_BY_HAND && isToken
      ? "this GPU or driver cannot be read; update the driver, or use another rail"
      : remedy,
  );
}
