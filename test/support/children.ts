import { readdirSync, readFileSync } from "node:fs";

/** Direct and further children of a process, as far as they are still there while this looks. */
export function childrenOf(pid: number): number[] {
  const own = tasksOf(pid).flatMap((task) =>
    textOf(`/proc/${pid}/task/${task}/children`).split(/\s+/).filter(Boolean).map(Number),
  );
  return own.flatMap((child) => [child, ...childrenOf(child)]);
}

/** The command line of a process; empty when it is gone. */
export function commandOf(pid: number): string {
  return textOf(`/proc/${pid}/cmdline`);
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Processes and threads end between a listing and a reading. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
