import { readdirSync, readFileSync } from "node:fs";

/** What a tree of processes had used up to a time. */
export interface TreeSample {
  readonly atMs: number;
  /** CPU seconds of all processes that were seen so far. */
  readonly cpuS: number;
  /** The highest resident memory of each process that is alive, added up, in MB. */
  readonly peakMb: number;
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** Its start time: another process may get the same pid. */
  readonly key: string;
  readonly cpuS: number;
}

/** Of procfs, everywhere that Node runs on. */
const TICKS_PER_S = 100;

/** Follows a process and its descendants, also those whose parents have ended. */
export class ProcessTree {
  readonly #cpuS = new Map<string, number>();
  readonly #rootPid: number;

  constructor(rootPid: number) {
    this.#rootPid = rootPid;
  }

  sample(atMs: number): TreeSample {
    const family = this.#family(allProcesses());
    for (const { key, cpuS } of family) this.#cpuS.set(key, cpuS);
    return {
      atMs,
      cpuS: [...this.#cpuS.values()].reduce((sum, s) => sum + s, 0),
      peakMb: family.reduce((sum, { pid }) => sum + highWaterMb(pid), 0),
    };
  }

  #family(all: readonly Process[]): readonly Process[] {
    const pids = new Set<number>([this.#rootPid]);
    for (const { pid, key } of all) if (this.#cpuS.has(key)) pids.add(pid);
    // A child may be listed before its parent.
    for (let before = 0; before !== pids.size; ) {
      before = pids.size;
      for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
    }
    return all.filter(({ pid }) => pids.has(pid));
  }
}

function allProcesses(): readonly Process[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = textOf(`/proc/${name}/stat`);
      // The program's name is in brackets and may hold anything.
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fields.length < 20) return [];
      const cpuS = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
      return [{ pid: Number(name), parent: Number(fields[1]), key: `${name} ${fields[19]}`, cpuS }];
    });
}

function highWaterMb(pid: number): number {
  const [, kb] = /^VmHWM:\s+(\d+)/m.exec(textOf(`/proc/${pid}/status`)) ?? [];
  return Number(kb ?? 0) / 1000;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
