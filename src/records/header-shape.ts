import type { CellPlan } from "./run-header.ts";
import { both, fields, listOf, notNegative, oneOf, type Shape, text, whole } from "./shape.ts";

const plan = fields(
  {
    cell: whole,
    repeat: whole,
    label: text,
    prefix: text,
    concurrency: whole,
    cache: oneOf("cold", "warm", "any"),
  },
  { requests: whole, durationS: notNegative, inputTokens: whole, outputTokens: whole },
);

/** `run.json`, as far as a record is made of it. */
export const headerShape: Shape = both(
  fields({
    benchmark: text,
    startedAt: text,
    parameters: fields({}),
    target: fields({}),
    host: fields({}),
    cells: listOf(plan),
  }),
  cellsAreInOrder,
);

function cellsAreInOrder(value: unknown): string | undefined {
  const { cells } = value as { readonly cells: readonly CellPlan[] };
  const wrong = cells.findIndex(
    ({ cell, concurrency }, place) => cell !== place || concurrency < 1,
  );
  return wrong < 0 ? undefined : `.cells[${wrong}]`;
}
