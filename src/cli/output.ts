/** Where a command's result and its words for people go. */
export interface Output {
  /** The result itself. */
  result(text: string): void;
  /** What people read on the way: always stderr. */
  note(text: string): void;
  /** Whether the reader of the notes sees colours. */
  readonly notesHaveColour: boolean;
  readonly resultHasColour: boolean;
}

/** The terminal, with `NO_COLOR` respected. */
export function terminalOutput(): Output {
  const mayColour = (process.env["NO_COLOR"] ?? "") === "";
  return {
    result: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    notesHaveColour: mayColour && process.stderr.isTTY === true,
    resultHasColour: mayColour && process.stdout.isTTY === true,
  };
}
