import { listPids, PROC_ROOT, readProcessFile } from "./procfs.ts";

/**
 * All children, grandchildren and so on of some processes, those themselves left out.
 *
 * A process that starts or ends meanwhile may or may not be among them.
 *
 * @returns pids in ascending order; empty when there are none, or none is visible.
 */
export async function descendantsOf(
  pids: readonly number[],
  { procRoot = PROC_ROOT }: { readonly procRoot?: string } = {},
): Promise<number[]> {
  const childrenByPid = await readChildren(procRoot);
  const seen = new Set(pids);
  const queue = [...pids];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of childrenByPid.get(pid) ?? []) {
      if (seen.has(child)) continue;
      seen.add(child);
      queue.push(child);
    }
  }
  for (const pid of pids) seen.delete(pid);
  return [...seen].toSorted((a, b) => a - b);
}

async function readChildren(procRoot: string): Promise<Map<number, number[]>> {
  const childrenByPid = new Map<number, number[]>();
  for (const pid of await listPids(procRoot).catch(() => [])) {
    const stat = await readProcessFile(procRoot, pid, "stat");
    const parent = stat === undefined ? undefined : parseParentPid(stat);
    if (parent === undefined) continue;
    childrenByPid.set(parent, [...(childrenByPid.get(parent) ?? []), pid]);
  }
  return childrenByPid;
}

/** The fourth field of `/proc/<pid>/stat`; the second is a name that may hold blanks and `) (`. */
function parseParentPid(stat: string): number | undefined {
  const [, parent] = /^ \S (\d+) /.exec(stat.slice(stat.lastIndexOf(")") + 1)) ?? [];
  return parent === undefined ? undefined : Number(parent);
}
