/** What went wrong, as a stable code that callers and scripts may test for. */
export type JoulemarkErrorCode =
  /** A flag, option or argument is wrong. The message names it, its value and what would be right. */
  | "bad_option"
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
