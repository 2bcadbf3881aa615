import type { Profiler } from "node:inspector";

/** Where a thread's time went, as shares of the time that it was busy. */
export interface CpuCategories {
  /** Time that it had nothing to do, as a share of all time. */
  readonly idleShare: number;
  /** In the system's write, for nearly all of it. */
  readonly socketWrite: number;
  /** The event loop, the system's read and poll, and what else is not JavaScript. */
  readonly native: number;
  readonly nodeCode: number;
  readonly ownCode: number;
  readonly garbageCollection: number;
}

type Category = Exclude<keyof CpuCategories, "idleShare"> | "idle";

const SOCKET_WRITES = new Set(["writeBuffer", "writev", "writeLatin1String", "writeUtf8String"]);

/** Sorts the samples of a profile by what the thread was in. */
export function cpuCategories({
  nodes,
  samples = [],
  timeDeltas = [],
}: Profiler.Profile): CpuCategories {
  const categoryById = new Map(nodes.map(({ id, callFrame }) => [id, categoryOf(callFrame)]));
  const us: Record<Category, number> = {
    idle: 0,
    socketWrite: 0,
    native: 0,
    nodeCode: 0,
    ownCode: 0,
    garbageCollection: 0,
  };
  for (const [i, id] of samples.entries()) us[categoryById.get(id)!] += timeDeltas[i]!;
  const { idle, ...busy } = us;
  const busyUs = Object.values(busy).reduce((sum, value) => sum + value, 0);
  return {
    idleShare: idle / (idle + busyUs),
    socketWrite: busy.socketWrite / busyUs,
    native: busy.native / busyUs,
    nodeCode: busy.nodeCode / busyUs,
    ownCode: busy.ownCode / busyUs,
    garbageCollection: busy.garbageCollection / busyUs,
  };
}

function categoryOf({ functionName, url }: Profiler.ProfileNode["callFrame"]): Category {
  if (functionName === "(idle)") return "idle";
  if (functionName === "(garbage collector)") return "garbageCollection";
  if (url === "") return SOCKET_WRITES.has(functionName) ? "socketWrite" : "native";
  return url.startsWith("node:") ? "nodeCode" : "ownCode";
}
