import type { Look } from "../report/facts-table.ts";

/** Where a command's result and its words for people go. */
export interface Output {
  /** The result itself. */
  result(text: string): void;
  /** What people read on the way: always stderr. */
  note(text: string): void;
  /** Whether the reader of the notes sees colours. */
  readonly noteLook: Look;
  readonly resultLook: Look;
  /** Where a display that moves can stand; absent where notes go to no terminal. */
  readonly live?: LiveTerminal;
}

/** A terminal as a display that moves needs it. */
export interface LiveTerminal {
  write(text: string): void;
  /** How wide it is right now. */
  columns(): number;
  /** @returns what ends the listening. */
  onResize(listener: () => void): () => void;
}

/** The widest that anything is shown, in characters; terminals that are narrower get less. */
const WIDTH = 100;

/** The terminal, with `NO_COLOR` respected. */
export function terminalOutput(): Output {
  process.stdout.on("error", resultLost);
  process.stderr.on("error", () => undefined);
  return {
    result: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    noteLook: lookOf(process.stderr),
    resultLook: lookOf(process.stdout),
    ...(hasCursor(process.stderr) ? { live: liveTerminal(process.stderr) } : {}),
  };
}

/** Whether text that stands there can be written over. */
function hasCursor(stream: NodeJS.WriteStream): boolean {
  return stream.isTTY === true && process.env["TERM"] !== "dumb";
}

function liveTerminal(stream: NodeJS.WriteStream): LiveTerminal {
  return {
    write: (text) => void stream.write(text),
    columns: () => stream.columns || WIDTH,
    onResize(listener) {
      stream.on("resize", listener);
      return () => stream.off("resize", listener);
    },
  };
}

function lookOf(stream: NodeJS.WriteStream): Look {
  const mayColour = (process.env["NO_COLOR"] ?? "") === "";
  return {
    hasColour: mayColour && stream.isTTY === true,
    width: Math.min(WIDTH, (stream.isTTY && stream.columns) || WIDTH),
  };
}

/**
 * A reader that has gone away, or a full disk, ends neither the run nor the command that it measures.
 * A result that could not be written is a failure, but for the command's own exit code; words for
 * people that nobody can read are none.
 */
function resultLost(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") process.exitCode ??= 1;
}
