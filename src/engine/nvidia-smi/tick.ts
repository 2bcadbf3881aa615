/** One line of an answer, before faults have touched it. */
export interface Row {
  /** Absent for a line that belongs to no GPU. */
  readonly deviceIndex?: number;
  readonly cells: readonly string[];
  /** A captured line that is printed as it is; its cells are not looked at. */
  readonly verbatim?: string;
  /** The capture ends inside this line. */
  readonly hasNoEnd?: boolean;
}

/** A row that is still to be read from its GPU. */
export interface PendingRow {
  read(): Row;
  /** It is read when the tick is written, not when its turn comes. */
  readonly isReadAtWrite: boolean;
}

export type Eol = "\n" | "\r\n";

/** Where the rows of an answer come from. */
export interface TickSource {
  /** The header line, printed in front of the first tick where one was asked for. */
  readonly header: string | undefined;
  /** Of the fields asked, those that hold watts; a frozen sensor keeps these cells. */
  readonly powerColumns: readonly number[];
  /** Bytes of a capture that may not be UTF-8 are carried one to a character. */
  readonly encoding: "utf8" | "latin1";
  /** How lines end, unless the scenario says otherwise. */
  readonly eol: Eol;
  /** The rows of the next tick, in order; `undefined` when nothing more will come. */
  nextTick(): readonly PendingRow[] | undefined;
}

/** A row that has been read already. */
export function readRow(row: Row): PendingRow {
  return { read: () => row, isReadAtWrite: false };
}

/** @returns the entries one after the other, then `undefined` or, if looped, the first again. */
export function inTurn<T>(entries: readonly T[], isLooped: boolean): () => T | undefined {
  let next = 0;
  return () => {
    if (isLooped && next >= entries.length) next = 0;
    return entries[next++];
  };
}
