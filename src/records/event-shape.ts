import {
  anything,
  both,
  byKind,
  fields,
  finite,
  flag,
  listOf,
  notNegative,
  oneOf,
  positive,
  type Shape,
  text,
  whole,
} from "./shape.ts";

const at = { atMs: finite };
const part = both(fields({ startMs: finite, endMs: finite }), endsAfterStart);
const reason = fields({ reason: text, refuses: text, detail: text });
const health = fields({ isSaturated: flag, why: listOf(text) });

/** A line of `events.jsonl`. */
export const eventShape: Shape = byKind("event", {
  segment: fields({ ...at, segment: whole }),
  server: fields(at, { name: text, version: text, model: text }),
  meter: fields(
    { ...at, railLines: whole, idleReasons: listOf(reason), warnings: listOf(text) },
    { absent: reason, idle: part },
  ),
  cell_started: fields({ ...at, cell: whole }),
  window: both(
    fields(
      { ...at, cell: whole, railLines: whole, requests: whole, notSent: whole },
      {
        health,
        stopped: text,
        steadyStepMs: positive,
        reasons: listOf(reason),
        warnings: listOf(text),
      },
    ),
    part,
  ),
  sensor_check: fields({
    ...at,
    railLines: whole,
    device: text,
    declaredMs: notNegative,
    averagingMs: notNegative,
    loMs: notNegative,
    hiMs: notNegative,
    how: oneOf("second_column", "edges"),
    verdict: oneOf("agrees", "differs"),
  }),
  ended: fields({ ...at, isInterrupted: flag }),
});

/** A line of `log.jsonl`. */
export const logShape: Shape = fields({ level: text, text }, { atMs: anything });

function endsAfterStart(value: unknown): string | undefined {
  const { startMs, endMs } = value as { readonly startMs: number; readonly endMs: number };
  return endMs >= startMs ? undefined : ".endMs";
}
