import type { RunEvent } from "./run-event.ts";

type Of<Name extends RunEvent["event"]> = Extract<RunEvent, { event: Name }>;

export type MeterEvent = Of<"meter">;
export type WindowEvent = Of<"window">;
type SensorCheckEvent = Of<"sensor_check">;

/** What was judged, or changed how what follows is judged. */
type JudgedEvent = MeterEvent | WindowEvent | SensorCheckEvent;

/** What a run did from its start, or from one of its resumes, on a clock of its own. */
export interface RunSegment {
  readonly segment: number;
  /** When its rail was judged, in order: for the idle baseline, the sensor, and each window. */
  readonly judged: readonly JudgedEvent[];
}

/** The segments of a run, and how far its cells came. */
export interface RunSegments {
  readonly segments: readonly RunSegment[];
  /** By cell: the last segment in which it was begun. */
  readonly started: ReadonlyMap<number, number>;
  /** By cell. Of one that was measured again after a resume, the last whole time counts. */
  readonly windows: ReadonlyMap<number, { readonly segment: number; readonly event: WindowEvent }>;
}

export function runSegments(events: readonly RunEvent[]): RunSegments {
  const segments: { segment: number; judged: JudgedEvent[] }[] = [];
  const started = new Map<number, number>();
  const windows = new Map<number, { segment: number; event: WindowEvent }>();
  for (const event of events) {
    if (event.event === "segment") segments.push({ segment: event.segment, judged: [] });
    const current = segments.at(-1);
    if (current === undefined) continue;
    if (event.event === "cell_started") started.set(event.cell, current.segment);
    if (!isJudged(event)) continue;
    current.judged.push(event);
    if (event.event !== "window") continue;
    const isWorse = event.stopped !== undefined && isWhole(windows.get(event.cell)?.event);
    if (!isWorse) windows.set(event.cell, { segment: current.segment, event });
  }
  return { segments, started, windows };
}

function isJudged(event: RunEvent): event is JudgedEvent {
  return event.event === "meter" || event.event === "window" || event.event === "sensor_check";
}

function isWhole(window: WindowEvent | undefined): boolean {
  return window !== undefined && window.stopped === undefined;
}
