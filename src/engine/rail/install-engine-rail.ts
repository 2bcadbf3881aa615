import { rm } from "node:fs/promises";
import { join } from "node:path";
import { installStandIn, type StandIn } from "../nvidia-smi/install-stand-in.ts";
import type { EngineRailOptions, RailDevice } from "./rail-options.ts";
import { railDevices, railScenario, stepsFileName } from "./rail-scenario.ts";
import { StepWriter } from "./step-writer.ts";

/** Watts in the files are whole milliwatts. */
const PER_W = 1000;

/** Of two writes that are closer together, the second waits so long for company. */
const FLUSH_EVERY_MS = 5;

/** A stand-in `nvidia-smi` that shows what an engine's GPUs draw. */
export interface EngineRail extends Pick<StandIn, "path" | "dir" | "env"> {
  readonly devices: readonly RailDevice[];
  /** The first thing that went wrong with the rail's files, such as a full disk. */
  readonly trouble: string | undefined;
  /**
   * From `atNs` since the engine's origin on, the serving GPUs draw this.
   *
   * A reading sees it 5 ms later at most. What the file system refuses is tried again with the next
   * write; the engine goes on.
   *
   * @param powerW - of each serving GPU, without its tenants.
   */
  write(atNs: number, powerW: readonly number[], isCapped: boolean): void;
  /** Takes the rail away; readings end. Then nothing is written any more. */
  remove(): Promise<void>;
}

/**
 * Writes a stand-in into a folder and opens the files that its serving GPUs are read from.
 *
 * @throws {JoulemarkError} `bad_option` for a box that cannot be.
 */
export async function installEngineRail(options: EngineRailOptions): Promise<EngineRail> {
  const devices = railDevices(options);
  const limitW = roundedW(options.power.limitW);
  const scenario = railScenario(options, devices, limitW);
  const standIn = await installStandIn(scenario, options.program, options.dir);
  const serving = devices.filter(({ serves }) => serves);
  const paths = serving.map(({ index }) => join(standIn.dir, stepsFileName(index)));
  const { originNs } = options;
  const writers = paths.map((path) => new StepWriter(path, { originNs, limitW }));
  return new InstalledRail(standIn, devices, writers, paths);
}

class InstalledRail implements EngineRail {
  readonly path: string;
  readonly dir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly devices: readonly RailDevice[];
  readonly #standIn: StandIn;
  readonly #writers: readonly StepWriter[];
  readonly #paths: readonly string[];
  #trouble: string | undefined;
  #flushedMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isRemoved = false;

  constructor(
    standIn: StandIn,
    devices: readonly RailDevice[],
    writers: readonly StepWriter[],
    paths: readonly string[],
  ) {
    this.path = standIn.path;
    this.dir = standIn.dir;
    this.env = standIn.env;
    this.devices = devices;
    this.#standIn = standIn;
    this.#writers = writers;
    this.#paths = paths;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  write(atNs: number, powerW: readonly number[], isCapped: boolean): void {
    if (this.#isRemoved) return;
    for (const [gpu, writer] of this.#writers.entries()) {
      writer.add(atNs, roundedW(powerW[gpu]!), isCapped);
    }
    const sinceFlushMs = performance.now() - this.#flushedMs;
    if (sinceFlushMs >= FLUSH_EVERY_MS) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_EVERY_MS).unref();
  }

  async remove(): Promise<void> {
    if (this.#isRemoved) return;
    this.#isRemoved = true;
    clearTimeout(this.#timer);
    for (const writer of this.#writers) writer.close();
    await this.#standIn.remove();
    for (const path of this.#paths) await rm(path, { force: true });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushedMs = performance.now();
    for (const writer of this.#writers) {
      try {
        writer.flush();
      } catch (error) {
        this.#trouble ??= (error as Error).message;
      }
    }
  }
}

function roundedW(powerW: number): number {
  return Math.round(powerW * PER_W) / PER_W;
}
