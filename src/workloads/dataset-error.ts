import { JoulemarkError } from "../errors.ts";

/** A data set cannot be used, and what would change that. */
export class DatasetError extends JoulemarkError {
  readonly file: string;
  /** Counted from 1; absent when it is about the whole file. */
  readonly line: number | undefined;
  readonly remedy: string;

  constructor(
    { file, line, why, remedy }: { file: string; line?: number; why: string; remedy: string },
    options?: ErrorOptions,
  ) {
    const place = line === undefined ? file : `${file}, line ${line}`;
    super("bad_option", `${place}: ${why}; ${remedy}`, options);
    this.file = file;
    this.line = line;
    this.remedy = remedy;
  }
}
