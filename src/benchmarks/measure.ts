import { nowMs } from "../clock.ts";
import { finiteSorted } from "../energy/metrics.ts";
import { settleMs } from "../energy/sensor.ts";
import { windowMetrics } from "../energy/window-metrics.ts";
import { EnergyMeter, type LogLine } from "../rails/meter.ts";
import type { MeterOptions } from "../rails/meter-options.ts";
import type { RailSampler } from "../rails/sampler.ts";
import type { RailWindow } from "../rails/source.ts";
import { windowWarnings } from "../rails/window-warnings.ts";
import type { CommandEnd, MeasureResult } from "../records/measure-result.ts";
import { runCommand } from "./run-command.ts";

export interface MeasureOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly stdoutToStderr: boolean;
  readonly meter: MeterOptions;
}

export interface MeasureHooks {
  /** Told each line of the log as it comes. */
  readonly onLog: (line: LogLine) => void;
  /** Told when the command starts to run, and when it has ended. */
  readonly onCommand: (phase: "started" | "ended") => void;
}

/**
 * Measures one command: idle baseline, the command, and the energy from its start to its end.
 *
 * @param signal - ends the wait before the command with its reason, and the wait after it early.
 */
export async function measureCommand(
  options: MeasureOptions,
  hooks: MeasureHooks,
  signal: AbortSignal,
): Promise<MeasureResult> {
  const meter = new EnergyMeter(options.meter);
  const log: LogLine[] = [];
  const say = (line: LogLine): void => {
    log.push(line);
    hooks.onLog(line);
  };
  try {
    for (const line of await meter.start(undefined, { signal })) say(line);
    signal.throwIfAborted();
    if (meter.sampler && meter.idleWindow === undefined) await quietBefore(meter.sampler, signal);
    const startedAt = new Date().toISOString();
    const release = meter.sampler?.hold(nowMs());
    hooks.onCommand("started");
    const end = await runCommand(options);
    hooks.onCommand("ended");
    const looking = meter.lookForForeignWork(signal);
    const window = await windowOf(meter, end, signal);
    release?.();
    const { warnings } = await looking;
    for (const text of warnings) say({ level: "warn", text });
    const costLine = await meter.stop();
    if (costLine) say(costLine);
    return resultOf({ options, meter, startedAt, end, window, warnings, log });
  } finally {
    await meter.stop();
  }
}

/** Without a baseline nothing else waits for readings from before the command. */
async function quietBefore(sampler: RailSampler, signal: AbortSignal): Promise<void> {
  const { sensor, periodMs } = sampler.facts;
  const quietMs = Math.min(sampler.settleMs, settleMs(sensor, periodMs));
  await sampler.readingsUntil(nowMs() + quietMs, signal);
}

/** The window of the command; when the wait for its last readings is cut short, what there is. */
async function windowOf(
  meter: EnergyMeter,
  { startMs, endMs }: CommandEnd,
  signal: AbortSignal,
): Promise<RailWindow> {
  try {
    await meter.sampler?.readingsUntil(endMs + meter.sampler.reachMs, signal);
    return await meter.window(startMs, endMs, { signal });
  } catch (error) {
    if (!signal.aborted || meter.sampler === undefined) throw error;
    return meter.sampler.judge(startMs, endMs);
  }
}

interface Measured {
  readonly options: MeasureOptions;
  readonly meter: EnergyMeter;
  readonly startedAt: string;
  readonly end: CommandEnd;
  readonly window: RailWindow;
  /** What was seen beside the command. */
  readonly warnings: readonly string[];
  readonly log: readonly LogLine[];
}

function resultOf({
  options,
  meter,
  startedAt,
  end,
  window,
  warnings,
  log,
}: Measured): MeasureResult {
  const { facts, idle, cost } = meter;
  const measured = window.state === "measured" ? window : undefined;
  const rail = facts?.head ?? "gpu_rail";
  return {
    command: options.command,
    startedAt,
    end,
    ...(facts === undefined ? {} : { rail: facts }),
    window,
    ...(idle === undefined ? {} : { idle }),
    ...(cost === undefined ? {} : { cost }),
    metrics: finiteSorted({ ...meter.metrics(), ...windowMetrics(measured, { idle, rail }) }),
    validity: [...window.reasons, ...meter.idleReasons],
    warnings: [
      ...meter.warnings,
      ...warnings,
      ...(measured && facts ? windowWarnings(measured, facts) : []),
    ],
    log,
  };
}
