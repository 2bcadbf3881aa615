import { nowMs } from "../clock.ts";
import { idleLine, samplerCostLine } from "../energy/energy-lines.ts";
import type { EnergyWindow } from "../energy/energy-window.ts";
import type { Metrics } from "../energy/metrics.ts";
import { type Refusal, refusal } from "../energy/rail-refusal.ts";
import { runMetrics } from "../energy/run-metrics.ts";
import type { SamplerCost } from "../energy/sampler-cost.ts";
import { JoulemarkError, RailUnreadableError } from "../errors.ts";
import { type ChosenDevices, chooseDevices, endpointOf } from "./choose-devices.ts";
import { ForeignWatch } from "./foreign-watch.ts";
import type { IdleLevels, WindowFindings } from "./load-response.ts";
import { type MeterTarget, placeOfTarget } from "./local-target.ts";
import { checkMeterOptions, type MeterOptions } from "./meter-options.ts";
import { openNvidiaSmi } from "./nvidia-smi/open-nvidia-smi.ts";
import { commonGain } from "./rail-gain.ts";
import { railLine } from "./rail-line.ts";
import type { RailSampler, WindowOptions } from "./sampler.ts";
import { settleWarning } from "./settle-warning.ts";
import type { RailFacts, RailWindow } from "./source.ts";

/** One line for the log of a run. */
export interface LogLine {
  readonly level: "info" | "warn";
  readonly text: string;
}

/** How often an idle baseline that was not quiet is taken again. */
const IDLE_RETRIES = 3;

/**
 * The life of energy in one run: find and open the rail, take the idle baseline, give the energy of
 * windows, stop.
 *
 * Nothing about energy fails a run: without a rail every window is refused, with the reason.
 */
export class EnergyMeter {
  readonly #options: MeterOptions;
  #sampler: RailSampler | undefined;
  #absent: Refusal = refusal("rail_unreadable", "the meter was not started");
  #idle: EnergyWindow | undefined;
  #idleReasons: readonly Refusal[] = [];
  #watch: ForeignWatch | undefined;
  #idleLevels: IdleLevels | undefined;
  #idleWindow: { readonly startMs: number; readonly endMs: number } | undefined;
  #cost: SamplerCost | undefined;
  #warnings: readonly string[] = [];
  #starting: Promise<readonly LogLine[]> | undefined;
  readonly #stopped = new AbortController();

  constructor(options: MeterOptions = {}) {
    this.#options = options;
  }

  /**
   * Opens the rail and takes the idle baseline: the model is loaded and nothing is in flight.
   *
   * @param target - the endpoint that will be loaded; without one this machine itself is meant.
   * @returns what is to be said about it.
   * @throws {JoulemarkError} `bad_option` for an option that cannot be or a second start, `stopped`
   *   when `stop()` comes first; and the signal's reason.
   */
  async start(
    target?: MeterTarget,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly LogLine[]> {
    if (this.#starting !== undefined)
      throw new JoulemarkError(
        "bad_option",
        "a meter is started once: make another one for another run",
      );
    const signals = signal === undefined ? [] : [signal];
    this.#starting = this.#start(target, AbortSignal.any([this.#stopped.signal, ...signals]));
    return this.#starting;
  }

  /** What the joules are of; absent without a rail. */
  get facts(): RailFacts | undefined {
    return this.#sampler?.facts;
  }

  /** The open rail itself; absent without one. */
  get sampler(): RailSampler | undefined {
    return this.#sampler;
  }

  /** The idle baseline; absent without a rail, or when it was not quiet. */
  get idle(): EnergyWindow | undefined {
    return this.#idle;
  }

  /** When the idle baseline was taken, whether it was quiet or not; absent when none was. */
  get idleWindow(): { readonly startMs: number; readonly endMs: number } | undefined {
    return this.#idleWindow;
  }

  /** What each device drew in the idle baseline; absent where `idle` is. */
  get idleLevels(): IdleLevels | undefined {
    return this.#idleLevels;
  }

  /** Why there is no rail; absent when there is one. */
  get absent(): Refusal | undefined {
    return this.#sampler === undefined ? this.#absent : undefined;
  }

  /** Why nothing is said above idle; empty when it is. */
  get idleReasons(): readonly Refusal[] {
    return this.#idleReasons;
  }

  /** What must be known beside every figure of this rail, though it refuses none. */
  get warnings(): readonly string[] {
    return this.#warnings;
  }

  /** What reading the rail cost; known after `stop()`. */
  get cost(): SamplerCost | undefined {
    return this.#cost;
  }

  /** The energy of a window, once the readings reach past its end; see `RailSampler.window`. */
  async window(startMs: number, endMs: number, options: WindowOptions = {}): Promise<RailWindow> {
    if (this.#sampler) return this.#sampler.window(startMs, endMs, options);
    return { state: "refused", startMs, endMs, reasons: [this.#absent] };
  }

  /**
   * What other processes do on the GPUs of the target's server, since the last look or the baseline;
   * without a target, on the measured GPUs.
   *
   * To be asked when nothing is in flight and no measured command runs. It never rejects, and takes 2 s at most.
   */
  async lookForForeignWork(signal?: AbortSignal): Promise<WindowFindings> {
    return (await this.#watch?.look(signal)) ?? { reasons: [], warnings: [] };
  }

  /** The plain integral of the readings so far; `undefined` without a rail. */
  windowNow(startMs: number, endMs: number): EnergyWindow | undefined {
    return this.#sampler?.windowNow(startMs, endMs);
  }

  /** Ends the rail, also one that is just starting. @returns its cost, or nothing when none ran. */
  async stop(): Promise<LogLine | undefined> {
    this.#stopped.abort(new JoulemarkError("stopped", "the meter was stopped"));
    await this.#starting?.catch(() => undefined);
    return this.#stopSampler();
  }

  /** The figures of the whole run; those of the sampler's cost only after `stop()`. */
  metrics(): Metrics {
    if (this.#sampler === undefined) return {};
    const { periodMs, head, devices } = this.#sampler.facts;
    const facts = { samplePeriodMs: periodMs, gain: commonGain(devices) };
    return runMetrics({ ...facts, idle: this.#idle, cost: this.#cost }, head);
  }

  async #start(target: MeterTarget | undefined, signal: AbortSignal): Promise<readonly LogLine[]> {
    checkMeterOptions(this.#options);
    if (this.#options.rail === "none")
      return this.#without("info", refusal("rail_unreadable", "switched off with --rail none"));
    const place = await placeOfTarget(target, this.#options.isLocal, signal);
    if (place.state === "elsewhere")
      return this.#without(place.level, refusal("rail_not_local", place.why));

    try {
      const { devices, nvidiaSmiPath = "nvidia-smi", startTimeoutMs = 3000 } = this.#options;
      const oneShot = { path: nvidiaSmiPath, timeoutMs: startTimeoutMs, signal };
      const chosen = await chooseDevices(devices, place.locality, oneShot);
      this.#sampler = await this.#open(chosen, signal);
      const endpoint = endpointOf(place.locality);
      // Of a target whose port is not known nobody can be told from it.
      if (endpoint || target === undefined)
        this.#watch = new ForeignWatch({
          path: nvidiaSmiPath,
          ...(endpoint === undefined ? {} : { endpoint }),
          devices: this.#sampler.facts.devices,
        });
      return await this.#announce(this.#sampler, chosen, signal);
    } catch (error) {
      // Whatever ends the start, the rail must not outlive it.
      await this.#stopSampler();
      if (!(error instanceof RailUnreadableError)) throw error;
      return this.#without("warn", refusal("rail_unreadable", error.message));
    }
  }

  async #stopSampler(): Promise<LogLine | undefined> {
    if (this.#sampler === undefined) return undefined;
    this.#cost = await this.#sampler.stop();
    return { level: "info", text: samplerCostLine(this.#cost) };
  }

  #without(level: LogLine["level"], reason: Refusal): readonly LogLine[] {
    this.#absent = reason;
    this.#idleReasons = [];
    return [{ level, text: `no energy: ${reason.detail}` }];
  }

  async #announce(
    sampler: RailSampler,
    chosen: ChosenDevices,
    signal: AbortSignal | undefined,
  ): Promise<readonly LogLine[]> {
    const { facts } = sampler;
    // Whoever looks meanwhile costs no time: the settle time before the baseline is waited for.
    const looking = this.lookForForeignWork(signal);
    const idle = await this.#takeIdle(sampler, looking, signal);
    const { warnings } = await looking;
    const unsettled = settleWarning(this.#options.settleMs, facts);
    this.#warnings = [
      ...facts.warnings,
      ...chosen.warningsFor(facts.devices),
      ...(unsettled === undefined ? [] : [unsettled]),
      ...warnings,
    ];
    return [
      { level: "info", text: railLine(facts) },
      ...(chosen.how === undefined
        ? []
        : [{ level: "info", text: `serving: ${chosen.how}` } as const]),
      ...this.#warnings.map((text): LogLine => ({ level: "warn", text })),
      idle,
    ];
  }

  async #open(chosen: ChosenDevices, signal: AbortSignal | undefined): Promise<RailSampler> {
    const { periodMs, gain, nvidiaSmiPath, settleMs, startTimeoutMs, onEvent } = this.#options;
    return openNvidiaSmi({
      ...(periodMs === undefined ? {} : { periodMs }),
      ...(chosen.devices === undefined ? {} : { devices: chosen.devices }),
      ...(gain === undefined ? {} : { gain }),
      ...(nvidiaSmiPath === undefined ? {} : { path: nvidiaSmiPath }),
      ...(settleMs === undefined ? {} : { settleMs }),
      ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
      ...(onEvent === undefined ? {} : { onEvent }),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async #takeIdle(
    sampler: RailSampler,
    looking: Promise<WindowFindings>,
    signal: AbortSignal | undefined,
  ): Promise<LogLine> {
    const { idleMs } = this.#options;
    if (idleMs === 0) return this.#noIdle([refusal("idle_absent", "no baseline was asked for")]);
    await sampler.readingsUntil(nowMs() + sampler.settleMs, signal);
    const options = {
      ...(idleMs === undefined ? {} : { durationMs: idleMs }),
      ...(signal === undefined ? {} : { signal }),
    };
    let idle = await sampler.idleBaseline(options);
    // Clocks stay up for seconds after a load, also after that of the probe: quiet is waited for.
    for (let retry = 0; retry < IDLE_RETRIES && isRestless(idle); retry++) {
      idle = await sampler.idleBaseline(options);
    }
    this.#idleWindow = { startMs: idle.startMs, endMs: idle.endMs };
    if (idle.state === "refused") {
      const details = idle.reasons.map(({ detail }) => detail).join("; ");
      return this.#noIdle([refusal("idle_absent", details)]);
    }
    if (isRestless(idle)) {
      return this.#noIdle(idle.reasons.filter(({ refuses }) => refuses === "above_idle"));
    }
    const foreign = (await looking).reasons;
    // A steady load looks like a quiet GPU, and is none.
    if (foreign.length > 0)
      return this.#noIdle(foreign.map(({ detail }) => refusal("idle_not_quiet", detail)));
    this.#idle = idle;
    this.#idleLevels = sampler.idleLevels(idle.startMs, idle.endMs);
    return { level: "info", text: idleLine(idle) };
  }

  #noIdle(reasons: readonly Refusal[]): LogLine {
    this.#idleReasons = reasons;
    return {
      level: "warn",
      text: `no idle baseline: ${reasons.map(({ detail }) => detail).join("; ")}`,
    };
  }
}

/** Whether something worked in an idle baseline. */
function isRestless(idle: RailWindow): boolean {
  return idle.state === "measured" && idle.reasons.some(({ refuses }) => refuses === "above_idle");
}
