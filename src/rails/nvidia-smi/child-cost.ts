import { readdirSync, readFileSync } from "node:fs";

/**
 * CPU seconds that a process and its descendants have used so far, all threads.
 *
 * Threads and processes that have ended by now are not counted. The reading is made without
 * waiting, so that nothing comes between it and the kill that follows.
 *
 * @returns `undefined` where procfs does not tell (not Linux, or the process is gone).
 */
export function cpuSecondsOf(pid: number): number | undefined {
  let totalNs: number | undefined;
  // `/proc/<pid>/schedstat` alone covers the main thread only.
  for (const task of entriesOf(`/proc/${pid}/task`)) {
    const ns = firstNumber(`/proc/${pid}/task/${task}/schedstat`);
    if (ns !== undefined) totalNs = (totalNs ?? 0) + ns;
    for (const child of numbersIn(`/proc/${pid}/task/${task}/children`))
      totalNs = (totalNs ?? 0) + (cpuSecondsOf(child) ?? 0) * 1e9;
  }
  return totalNs === undefined ? undefined : totalNs / 1e9;
}

/** CPU seconds that the calling thread has used; `undefined` where procfs does not tell. */
export function cpuSecondsOfThisThread(): number | undefined {
  const ns = firstNumber("/proc/thread-self/schedstat");
  return ns === undefined ? undefined : ns / 1e9;
}

function firstNumber(path: string): number | undefined {
  return numbersIn(path)[0];
}

function numbersIn(path: string): readonly number[] {
  try {
    const words = readFileSync(path, "utf8").trim().split(/\s+/);
    return words.filter((word) => word !== "").map(Number);
  } catch {
    return [];
  }
}

function entriesOf(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
