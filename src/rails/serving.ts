import {
  findListeningPids,
  findListeningPidsOfSocket,
  type ListeningPids,
} from "./listening-pids.ts";
import { descendantsOf } from "./process-tree.ts";
import { PROC_ROOT, readProcessFile } from "./procfs.ts";

/** A process with a context on a GPU, as the driver lists it. */
export interface ComputeApp {
  readonly deviceUuid: string;
  readonly pid: number;
}

/** Where the server listens: a TCP port of this machine, or the path of a unix socket. */
export type ServingEndpoint =
  | { readonly port: number; readonly address?: string }
  | { readonly socketPath: string };

export type ServingOptions = ServingEndpoint & {
  /** Those of all GPUs, with pids as this procfs has them. */
  readonly computeApps: readonly ComputeApp[];
  /** Where procfs is mounted. Default: `/proc`, on Linux only. */
  readonly procRoot?: string;
};

/** The GPUs that a server computes on, or why they are not known; it is never a guess. */
export type ServingDevices =
  | {
      readonly state: "found";
      /** Each once, in the driver's order. */
      readonly deviceUuids: readonly string[];
      /** The server's processes that compute on them. */
      readonly pids: readonly number[];
      /** All of the server's processes, whatever they do. */
      readonly ownPids: readonly number[];
      /** Other processes that compute on the same GPUs: their energy is in the rail too. */
      readonly foreignPids: readonly number[];
      readonly how: string;
    }
  | { readonly state: "unknown"; readonly why: string };

/**
 * Finds the GPUs on which the process that listens, or a descendant of it, has a context.
 *
 * @returns `unknown` for whatever goes wrong; it never rejects.
 */
export async function findServingDevices(options: ServingOptions): Promise<ServingDevices> {
  const { computeApps } = options;
  if (computeApps.length === 0) {
    return unknown("the driver lists no compute processes (usual in containers and on WSL)");
  }
  const listening = await findListeners(options);
  if (listening.state === "unknown") return listening;
  const tree = new Set([...listening.pids, ...(await descendantsOf(listening.pids, options))]);
  const serving = computeApps.filter(({ pid }) => tree.has(pid));
  const listeners = await describePids(listening.pids, options.procRoot);
  if (serving.length === 0) {
    return unknown(
      `${endpointOf(options)} belongs to ${listeners}, and no compute process of the driver's list is that or a descendant`,
    );
  }
  const deviceUuids = unique(serving.map(({ deviceUuid }) => deviceUuid));
  const pids = unique(serving.map(({ pid }) => pid));
  const onSameDevices = computeApps.filter(({ deviceUuid }) => deviceUuids.includes(deviceUuid));
  const foreignPids = unique(onSameDevices.map(({ pid }) => pid)).filter((pid) => !tree.has(pid));
  const how = `${endpointOf(options)} belongs to ${listeners}, which computes as pid ${pids.join(", ")}`;
  return { state: "found", deviceUuids, pids, ownPids: [...tree], foreignPids, how };
}

function findListeners(options: ServingOptions): Promise<ListeningPids> {
  return "port" in options
    ? findListeningPids(options.port, options)
    : findListeningPidsOfSocket(options.socketPath, options);
}

function endpointOf(endpoint: ServingEndpoint): string {
  return "port" in endpoint ? `port ${endpoint.port}` : endpoint.socketPath;
}

/** `pid 7 (python3), pid 9 (python3)`: the name tells a tunnel or a proxy from a server. */
async function describePids(pids: readonly number[], procRoot = PROC_ROOT): Promise<string> {
  const texts = pids.map(async (pid) => {
    const name = (await readProcessFile(procRoot, pid, "comm"))?.trim();
    return name === undefined ? `pid ${pid}` : `pid ${pid} (${name})`;
  });
  return (await Promise.all(texts)).join(", ");
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function unknown(why: string): ServingDevices {
  return { state: "unknown", why };
}
