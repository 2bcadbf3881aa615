/** Words that sources print where they have nothing to say, beside whatever stands in brackets. */
const NOTHING = /^(?:\[.*|n\/?a|err!?|error|unknown( error)?|not supported|none|null|-*)$/i;

/** A cell's text; `undefined` for a token that says that there is none: `[N/A]`, `N/A`, `ERR!`. */
export function knownText(cell: string | undefined): string | undefined {
  return cell === undefined || NOTHING.test(cell) ? undefined : cell;
}
