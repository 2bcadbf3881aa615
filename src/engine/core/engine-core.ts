import type { GpuPower, GpuWork } from "../power/gpu-work.ts";
import { PowerModel } from "../power/power-model.ts";
import type { EngineProfile } from "../profiles/engine-profile.ts";
import { Scheduler } from "../schedule/scheduler.ts";
import type {
  NewSequence,
  ScheduleCounts,
  SequenceProgress,
  StepPlan,
} from "../schedule/sequence.ts";

const NS_PER_MS = 1e6;

/** A host that is later than this at the end of a step has held its GPUs up, in ms. */
const LEAST_SLIP_MS = 20;

/** The end of one step: what it brought, when it was due. */
export interface FinishedStep {
  /** ns since the engine's origin, on its virtual schedule. */
  readonly startNs: number;
  readonly endNs: number;
  readonly plan: StepPlan;
  readonly progress: readonly SequenceProgress[];
}

/** Told of each change of what the GPUs draw, in time order. */
export type OnPower = (atNs: number, power: GpuPower) => void;

interface RunningStep {
  readonly startNs: number;
  readonly endNs: number;
  readonly plan: StepPlan;
}

/**
 * A simulated engine on a virtual schedule: what it does follows from its profile, its seed and
 * when which sequences came, and from nothing else. It knows no clock; whoever drives it says how
 * late it is.
 *
 * All times are whole ns since the engine's origin.
 */
export class EngineCore {
  readonly #profile: EngineProfile;
  readonly #scheduler: Scheduler;
  readonly #power: PowerModel;
  readonly #onPower: OnPower;
  #running: RunningStep | undefined;
  /** When the first step after an idle time begins. */
  #gatheredNs: number | undefined;
  /** When the power next changes although the work does not. */
  #powerChangeNs: number | undefined;
  #work: GpuWork = { kind: "idle" };
  #slips = 0;
  #steps = 0;

  constructor(profile: EngineProfile, seed: number, onPower: OnPower) {
    this.#profile = profile;
    this.#scheduler = new Scheduler(profile);
    this.#power = new PowerModel(profile.power, seed);
    this.#onPower = onPower;
    this.#idleFrom(0);
  }

  /** When `advance` next has something to do, or `undefined` while nothing comes by itself. */
  get nextNs(): number | undefined {
    const workNs = this.#running?.endNs ?? this.#gatheredNs;
    if (workNs === undefined || this.#powerChangeNs === undefined) {
      return workNs ?? this.#powerChangeNs;
    }
    return Math.min(workNs, this.#powerChangeNs);
  }

  /** Steps done, and how often a late host held the next one up. */
  get steps(): { readonly done: number; readonly slips: number } {
    return { done: this.#steps, slips: this.#slips };
  }

  /** Takes a sequence that arrived at `atNs`; it waits for the step that begins next after that. */
  submit(sequence: NewSequence, atNs: number): void {
    this.#scheduler.add(sequence);
    if (!this.#running) this.#gatheredNs ??= atNs + this.#profile.gatherMs * NS_PER_MS;
  }

  /** Forgets a sequence; a step that is under way takes its time all the same. */
  remove(id: number): boolean {
    return this.#scheduler.remove(id);
  }

  counts(): ScheduleCounts {
    return this.#scheduler.counts();
  }

  /** Does all that is due at `nowNs`. @returns the steps that have ended, in order. */
  advance(nowNs: number): FinishedStep[] {
    const finished: FinishedStep[] = [];
    for (let nextNs = this.nextNs; nextNs !== undefined && nextNs <= nowNs; nextNs = this.nextNs) {
      if (this.#running?.endNs === nextNs) finished.push(this.#endStep(this.#running, nowNs));
      else if (this.#gatheredNs === nextNs) this.#beginStep(nextNs);
      else this.#draw(this.#work, nextNs);
    }
    return finished;
  }

  #beginStep(startNs: number): void {
    this.#gatheredNs = undefined;
    this.#running = undefined;
    const plan = this.#scheduler.begin();
    if (!plan) {
      this.#idleFrom(startNs);
      return;
    }
    const { decoding, prefillShare } = plan;
    const { stretch } = this.#draw({ kind: "step", decoding, prefillShare }, startNs);
    const durationNs = Math.max(1, Math.round(plan.durationMs * stretch * NS_PER_MS));
    this.#running = { startNs, endNs: startNs + durationNs, plan };
  }

  #endStep(step: RunningStep, nowNs: number): FinishedStep {
    const { startNs, endNs } = step;
    const progress = this.#scheduler.finish();
    this.#steps++;
    const slipNs = Math.max(LEAST_SLIP_MS * NS_PER_MS, endNs - startNs);
    if (nowNs - endNs > slipNs && this.#hasWork()) {
      // The host was away: real GPUs would have waited for it, and so do these.
      this.#slips++;
      this.#idleFrom(endNs);
      this.#beginStep(nowNs);
    } else {
      this.#beginStep(endNs);
    }
    return { ...step, progress };
  }

  #hasWork(): boolean {
    const { running, waiting } = this.#scheduler.counts();
    return running + waiting > 0;
  }

  #idleFrom(atNs: number): void {
    this.#running = undefined;
    this.#draw({ kind: "idle" }, atNs);
  }

  #draw(work: GpuWork, atNs: number): GpuPower {
    const power = this.#power.begin(work, atNs);
    const nextNs = this.#power.nextChangeNs(atNs);
    this.#work = work;
    // A change that is due at once has been made.
    this.#powerChangeNs = nextNs !== undefined && nextNs > atNs ? nextNs : undefined;
    this.#onPower(atNs, power);
    return power;
  }
}
