import { nowMs } from "../clock.ts";
import { type ForeignLook, type ForeignProcess, foreignWork, isWorking } from "./foreign-work.ts";
import type { WindowFindings } from "./load-response.ts";
import { computeApps } from "./nvidia-smi/compute-apps.ts";
import type { OneShotOptions } from "./nvidia-smi/one-shot.ts";
import { askProcessWork, type ProcessWork } from "./nvidia-smi/process-work.ts";
import { PROC_ROOT, readProcessFile } from "./procfs.ts";
import { type ComputeApp, findServingDevices, type ServingEndpoint } from "./serving.ts";
import type { RailDevice } from "./source.ts";

export interface ForeignWatchOptions {
  /** The nvidia-smi program. */
  readonly path: string;
  /** Of the server that is measured; absent where it is a command, which does not run at any look. */
  readonly endpoint?: ServingEndpoint;
  /** Those of the rail. */
  readonly devices: readonly RailDevice[];
  /** Where procfs is mounted. Default: `/proc`. */
  readonly procRoot?: string;
  /** How long one look may take, in ms; default 2000. */
  readonly timeoutMs?: number;
}

/** Of NVIDIA's own service the work is that of its clients, the server among them. */
const MPS_SERVER = "nvidia-cuda-mps";

/**
 * Looks for foreign work on the serving GPUs, at moments when nothing of the run is in flight.
 *
 * It asks the driver who computes, and only where that is somebody else, who works.
 */
export class ForeignWatch {
  readonly #options: ForeignWatchOptions;
  readonly #told = new Set<number>();
  #last: ForeignLook | undefined;
  #hasLooked = false;
  #isOver = false;
  #hasNoAccount = false;

  constructor(options: ForeignWatchOptions) {
    this.#options = options;
  }

  /**
   * Looks once. What it finds is of the time since the last look.
   *
   * It never rejects, and takes 2 s at most: what cannot be asked is told once, and not asked again.
   */
  async look(signal?: AbortSignal): Promise<WindowFindings> {
    if (this.#isOver || signal?.aborted) return this.#asBefore();
    const { path, timeoutMs = 2000 } = this.#options;
    const untilMs = nowMs() + timeoutMs;
    const asking = (): OneShotOptions => ({
      path,
      timeoutMs: Math.max(1, untilMs - nowMs()),
      signal,
    });
    try {
      return await this.#look(asking);
    } catch (error) {
      if (signal?.aborted) return this.#asBefore();
      this.#isOver = true;
      const why = (error as Error).message;
      return this.#asBefore([`foreign work on the GPUs is not looked for any more: ${why}`]);
    }
  }

  async #look(asking: () => OneShotOptions): Promise<WindowFindings> {
    const apps = await computeApps(asking());
    const { endpoint, procRoot } = this.#options;
    const onRail = apps.filter((app) => this.#deviceOf(app) !== undefined);
    if (endpoint === undefined) return this.#besideCommand(onRail, asking);
    const serving = await findServingDevices({
      ...endpoint,
      computeApps: apps,
      ...(procRoot === undefined ? {} : { procRoot }),
    });
    if (serving.state === "unknown") return this.#ofUnknown(onRail, asking);
    const others = onRail.filter(({ pid }) => !serving.ownPids.includes(pid));
    const found = await this.#describe(others, asking);
    const before = this.#last;
    this.#last = found;
    this.#hasLooked = true;
    const { reasons, warnings } = foreignWork(before, found);
    return { reasons, warnings: [...warnings, ...this.#untoldOf(found)] };
  }

  /** Without knowing who serves nobody can be called foreign: what works is told, and no more. */
  async #ofUnknown(
    apps: readonly ComputeApp[],
    asking: () => OneShotOptions,
  ): Promise<WindowFindings> {
    if (this.#hasLooked) return this.#asBefore();
    this.#isOver = true;
    const working = (await this.#describe(apps, asking)).filter(isWorking);
    return {
      reasons: [],
      warnings: working.map(
        ({ label }) =>
          `${label} works on these GPUs while nothing of this run is in flight, and whether it is the server's is not known: its energy is in the number`,
      ),
    };
  }

  /** Before a command and after it whoever works is another; each is told once. */
  async #besideCommand(
    apps: readonly ComputeApp[],
    asking: () => OneShotOptions,
  ): Promise<WindowFindings> {
    const working = (await this.#describe(apps, asking)).filter(
      (one) => isWorking(one) && !this.#told.has(one.pid),
    );
    for (const { pid } of working) this.#told.add(pid);
    return {
      reasons: [],
      warnings: working.map(
        ({ label, smPercent }) =>
          `${label} works on the measured GPUs (${smPercent} % of the time) while the command does not run: its energy is in the number`,
      ),
    };
  }

  /** What worked before a window counts for it, though nobody could look after it. */
  #asBefore(warnings: readonly string[] = []): WindowFindings {
    const before = this.#last ?? [];
    return { reasons: foreignWork(before, before).reasons, warnings };
  }

  async #describe(
    apps: readonly ComputeApp[],
    asking: () => OneShotOptions,
  ): Promise<ForeignProcess[]> {
    const { procRoot = PROC_ROOT } = this.#options;
    const named = await Promise.all(
      [...new Set(apps.map(({ pid }) => pid))].map(async (pid) => {
        const name = (await readProcessFile(procRoot, pid, "comm"))?.trim();
        return { pid, name, label: name === undefined ? `pid ${pid}` : `pid ${pid} (${name})` };
      }),
    );
    const others = named.filter(({ name }) => !name?.startsWith(MPS_SERVER));
    if (others.length === 0) return [];
    const work = this.#hasNoAccount ? undefined : await askProcessWork(asking());
    this.#hasNoAccount = work === undefined;
    return others.map(({ pid, label }) => {
      const smPercent = mostWork(work ?? [], pid, this.#indices(apps, pid));
      return { pid, label, ...(smPercent === undefined ? {} : { smPercent }) };
    });
  }

  /** Each process of whose work the driver tells nothing is warned of once. */
  #untoldOf(found: ForeignLook): readonly string[] {
    const untold = found.filter(
      ({ pid, smPercent }) => smPercent === undefined && !this.#told.has(pid),
    );
    for (const { pid } of untold) this.#told.add(pid);
    return untold.map(
      ({ label }) =>
        `${label} has a context on the serving GPUs, and the driver does not say whether it works: if it does, its energy is in the number`,
    );
  }

  #deviceOf({ deviceUuid }: ComputeApp): RailDevice | undefined {
    return this.#options.devices.find(({ id }) => id === deviceUuid);
  }

  /** Where on the rail it has a context; a process may work on other GPUs too. */
  #indices(apps: readonly ComputeApp[], pid: number): readonly (number | undefined)[] {
    return apps.filter((app) => app.pid === pid).map((app) => this.#deviceOf(app)?.index);
  }
}

function mostWork(
  work: readonly ProcessWork[],
  pid: number,
  indices: readonly (number | undefined)[],
): number | undefined {
  const told = work
    .filter((one) => one.pid === pid)
    .filter(({ deviceIndex }) => indices.includes(deviceIndex) || indices.includes(undefined))
    .map(({ smPercent }) => smPercent)
    .filter((percent) => percent !== undefined);
  return told.length === 0 ? undefined : Math.max(...told);
}
