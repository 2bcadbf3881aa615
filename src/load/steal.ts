import { readFileSync } from "node:fs";

/** The kernel counts steal in ticks of this length, in ms. */
const TICK_MS = 10;

/** Time that other guests have taken from this machine's cores since it started, in ms. */
export function stolenMs(): number | undefined {
  try {
    const cpu = readFileSync("/proc/stat", "utf8").split("\n", 1)[0]!.split(/\s+/);
    // cpu user nice system idle iowait irq softirq steal …
    const ticks = Number(cpu[8]);
    return Number.isFinite(ticks) ? ticks * TICK_MS : undefined;
  } catch {
    return undefined;
  }
}
