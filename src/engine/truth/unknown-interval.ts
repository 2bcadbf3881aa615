import { ApiError, type ApiErrorDetails } from "../server/api-error.ts";
import type { Interval } from "./truth-answers.ts";

/** A question about a time that is not wholly known; all its times are on the asker's clock. */
export class UnknownInterval extends ApiError {
  /** The interval that could be asked for. */
  readonly known: Interval;

  constructor(problem: string, { startNs, endNs }: Interval, known: Interval) {
    const details: ApiErrorDetails = { code: "interval_not_known" };
    const message = `${problem}: ${startNs} to ${endNs} was asked, and ${known.startNs} to ${known.endNs} (now) is known, in ns of the machine's monotonic clock.`;
    super(400, message, details);
    this.known = known;
  }

  /** With what is known, for programs whose own clock has another zero. */
  override toJSON(): { readonly error: object } {
    const { startNs, endNs } = this.known;
    const known = { start_ns: String(startNs), end_ns: String(endNs) };
    return { error: { ...super.toJSON().error, known } };
  }
}
