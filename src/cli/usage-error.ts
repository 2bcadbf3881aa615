import { JoulemarkError } from "../errors.ts";

/** The command line asks for what cannot be: exit code 2. */
export class UsageError extends JoulemarkError {
  constructor(message: string) {
    super("bad_option", message);
  }
}
