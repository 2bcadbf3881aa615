import { join } from "node:path";
import { Damage } from "./damage.ts";
import { eventShape } from "./event-shape.ts";
import type { RailLine } from "./rail-replay.ts";
import { railShape } from "./rail-shape.ts";
import { readEntries } from "./read-lines.ts";
import type { RunEvent } from "./run-event.ts";
import type { Shape } from "./shape.ts";

/** The number of the segment that a resume of this run is: one that no line has. */
export async function nextSegment(dir: string): Promise<number> {
  let next = 0;
  const look = async (file: string, shape: Shape): Promise<void> => {
    const how = { shape, damage: new Damage() };
    for await (const lines of readEntries<RunEvent | RailLine>(join(dir, file), how)) {
      for (const { value } of lines) {
        if (value && "segment" in value) next = Math.max(next, value.segment + 1);
      }
    }
  };
  await look("events.jsonl", eventShape);
  await look("rail.jsonl", railShape);
  return next;
}
