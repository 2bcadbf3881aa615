import { setTimeout as delay } from "node:timers/promises";
import type { Output } from "./output.ts";
import { faultsAt } from "./row-faults.ts";
import type { EndlessLineFault, Fault } from "./scenario.ts";
import type { TickSource } from "./tick.ts";
import { TickWriter, type WritePlan } from "./tick-writer.ts";

/** Pace of the silent ticks of a one-shot query that hangs. */
const ONE_SHOT_HANG_MS = 100;
const FLOOD_EVERY_MS = 20;

export interface TickPlan extends WritePlan {
  /** Between ticks, asked anew each time; absent: one tick only. */
  readonly nextPeriodMs: (() => number) | undefined;
  readonly firstTickMs: number;
  /** Ends a loop after so many; absent: it goes on. */
  readonly mostTicks?: number | undefined;
  readonly faults: readonly Fault[];
  /** Asked in silent ticks, where no broken pipe would tell that nobody is there any more. */
  readonly isAbandoned: () => boolean;
}

/** Prints tick after tick, as well or as badly as planned. @returns the exit code. */
export async function printTicks(
  source: TickSource,
  plan: TickPlan,
  output: Output,
): Promise<number> {
  const writer = new TickWriter(source, plan, output);
  const { nextPeriodMs } = plan;
  if (plan.firstTickMs > 0) await delay(plan.firstTickMs);
  for (let tick = 0; ; tick++) {
    const active = faultsAt(plan.faults, tick);
    for (const fault of active) {
      const isFirst = fault.afterTicks === tick;
      if (fault.kind === "pause" && isFirst) await delay(fault.pauseMs);
      if (fault.kind === "endless-line") await flood(fault, output);
      if (fault.kind === "hang" && isFirst && fault.ignoreSigterm) process.on("SIGTERM", () => {});
      if (fault.kind === "die") {
        output.print(fault.stdout ?? "");
        output.printError(fault.stderr ?? "");
        return fault.exitCode;
      }
    }
    const pending = isSilent(active, tick) ? undefined : source.nextTick();
    if (pending) await writer.write(pending, active);
    else if (plan.isAbandoned()) return 0;
    const hasHalfLine = active.some(({ kind }) => kind === "half-line");
    const isLast = nextPeriodMs === undefined || tick + 1 === plan.mostTicks;
    if (isLast && pending && !hasHalfLine) return 0;
    await delay(nextPeriodMs ? nextPeriodMs() : ONE_SHOT_HANG_MS);
  }
}

/** A half line is printed in the first tick of its fault and followed by nothing. */
function isSilent(active: readonly Fault[], tick: number): boolean {
  return active.some(
    ({ kind, afterTicks }) => kind === "hang" || (kind === "half-line" && afterTicks < tick),
  );
}

async function flood({ bytesPerS = 1_000_000 }: EndlessLineFault, output: Output): Promise<never> {
  const chunk = Buffer.alloc(Math.max(1, Math.round((bytesPerS * FLOOD_EVERY_MS) / 1000)), "9");
  for (;;) {
    output.write(chunk);
    await delay(FLOOD_EVERY_MS);
  }
}
