import { JoulemarkError } from "../errors.ts";
import { rederive } from "../records/rederive.ts";
import type { RunRecord } from "../records/run-record.ts";
import type { RunFacts } from "./run-memory.ts";
import type { RunSession } from "./run-session.ts";

/** What a run ends with. */
export interface EndedRun {
  readonly record: RunRecord;
  /** What could not be kept, once for each file. */
  readonly unwritten: readonly string[];
}

/**
 * Ends a run and makes its record: out of its files, as everyone can make it again; where these
 * could not be written, out of what is in memory, so that nothing measured is lost.
 */
export async function endRun(
  session: RunSession,
  facts: RunFacts,
  isInterrupted: boolean,
): Promise<EndedRun> {
  await session.end(isInterrupted);
  const { folder } = session;
  const unwritten = await folder.close();
  if (unwritten.length === 0) {
    try {
      return { record: await rederive(folder.path), unwritten };
    } catch (error) {
      return { record: session.record(facts), unwritten: [`record.json: ${messageOf(error)}`] };
    }
  }
  session.warn(`the files of this run are not whole, its record is: ${unwritten.join("; ")}`);
  const record = session.record(facts);
  try {
    await folder.write("record.json", record);
    return { record, unwritten };
  } catch (error) {
    return { record, unwritten: [...unwritten, `record.json: ${messageOf(error)}`] };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof JoulemarkError && error.code === "not_written")
    return messageOf(error.cause);
  return error instanceof Error ? error.message : String(error);
}
