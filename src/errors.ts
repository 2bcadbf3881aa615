/** What went wrong, as a stable code that callers and scripts may test for. */
export type JoulemarkErrorCode =
  /** A flag, option or argument is wrong. The message names it, its value and what would be right. */
  | "bad_option"
  /** The endpoint does not answer, or not as it should. The message says what it said. */
  | "target_failed"
  /** A file could not be written. The message names it and says why. */
  | "not_written"
  /** A rail cannot be read. The message says exactly why. */
  | "rail_unreadable"
  /** Something was asked of a sampler, meter or server that has been stopped. */
  | "stopped";

/** Base of every error that joulemark raises on purpose; anything else that escapes is a bug. */
export class JoulemarkError extends Error {
  readonly code: JoulemarkErrorCode;

  constructor(code: JoulemarkErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** A rail cannot be read here, and what would change that. */
export class RailUnreadableError extends JoulemarkError {
  /** What was tried and what came of it. */
  readonly why: string;
  readonly remedy: string;

  constructor(why: string, remedy: string, options?: ErrorOptions) {
    super("rail_unreadable", `the GPU rail is not readable here: ${why}; ${remedy}`, options);
    this.why = why;
    this.remedy = remedy;
  }
}
