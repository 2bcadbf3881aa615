/**
 * A value as JSON without a number that is not finite: its key is left out, as that of everything
 * that was not measured. `JSON.stringify` alone would write `null` for it, which says less and reads
 * as something else.
 */
export function jsonText(value: object, indent?: number): string {
  return JSON.stringify(value, finiteOnly, indent);
}

function finiteOnly(_key: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isFinite(value) ? undefined : value;
}
