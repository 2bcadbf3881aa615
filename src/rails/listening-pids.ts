import { readdir, readFile, readlink, realpath } from "node:fs/promises";
import { endianness } from "node:os";
import { join } from "node:path";
import { errorCode, isGone, listPids, PROC_ROOT, readProcessFile } from "./procfs.ts";
import { listenersReachedAt, parseTcpListeners, parseUnixListeners } from "./socket-tables.ts";

/** The visible processes that hold a listening socket, in ascending order, or why none is known. */
export type ListeningPids =
  | { readonly state: "found"; readonly pids: number[] }
  | { readonly state: "unknown"; readonly why: string };

export interface ListeningPidsOptions {
  /** Where procfs is mounted. Default: `/proc`, on Linux only. */
  readonly procRoot?: string;
  /** The IP address that is connected to, where one port has several. Default: any. */
  readonly address?: string;
}

/**
 * Finds who listens on a TCP port of this network namespace, by procfs.
 *
 * @returns `unknown` for whatever goes wrong; it never rejects.
 */
export async function findListeningPids(
  port: number,
  { procRoot, address }: ListeningPidsOptions = {},
): Promise<ListeningPids> {
  return orUnknown(procRoot, async (root) => {
    const tables = await readTables(root, ["tcp", "tcp6"]);
    const onPort = tables
      .flatMap((table) => parseTcpListeners(table, endianness()))
      .filter((listener) => listener.port === port);
    const listeners = address === undefined ? onPort : listenersReachedAt(address, onPort);
    const what = `port ${port}${address === undefined ? "" : ` at ${address}`}`;
    if (listeners.length > 0) return findOwners(root, listeners, what);
    return unknown(
      `nothing in this network namespace listens on ${what}: it may be forwarded, as to a container`,
    );
  });
}

/**
 * Finds who listens on a unix socket, by procfs.
 *
 * @param path - as the server bound it, or a way to the same file.
 * @returns `unknown` for whatever goes wrong; it never rejects.
 */
export async function findListeningPidsOfSocket(
  path: string,
  { procRoot }: Pick<ListeningPidsOptions, "procRoot"> = {},
): Promise<ListeningPids> {
  return orUnknown(procRoot, async (root) => {
    const paths = [path, await realpath(path).catch(() => path)];
    const [table = ""] = await readTables(root, ["unix"]);
    const listeners = parseUnixListeners(table).filter((listener) => paths.includes(listener.path));
    // Nothing in the table says which of them the file is: each may be a server that lost its file.
    if (listeners.length > 1) return unknown(`several sockets are bound to ${path}`);
    if (listeners.length > 0) return findOwners(root, listeners, path);
    return unknown(
      `nothing in this network namespace listens on ${path} by that path: its server may run in a container`,
    );
  });
}

async function orUnknown(
  procRoot: string | undefined,
  find: (root: string) => Promise<ListeningPids>,
): Promise<ListeningPids> {
  if (procRoot === undefined && process.platform !== "linux") {
    return unknown(`who listens is read from Linux procfs, and this is ${process.platform}`);
  }
  const root = procRoot ?? PROC_ROOT;
  try {
    return await find(root);
  } catch (error) {
    return unknown(`${root} could not be read (${errorCode(error)})`);
  }
}

/** Those tables that are there, of which one may be missing: without IPv6 there is no `tcp6`. */
async function readTables(procRoot: string, names: readonly string[]): Promise<string[]> {
  const reads = await Promise.allSettled(
    names.map((name) => readFile(join(procRoot, "net", name), "utf8")),
  );
  const tables = reads.flatMap((read) => (read.status === "fulfilled" ? [read.value] : []));
  const failed = reads.find((read) => read.status === "rejected");
  if (tables.length === 0 && failed !== undefined) throw failed.reason;
  return tables;
}

/** The processes that hold these sockets; where one socket has no owner in sight, none is an answer. */
async function findOwners(
  procRoot: string,
  sockets: readonly { readonly inode: string }[],
  what: string,
): Promise<ListeningPids> {
  const links = new Set(sockets.map(({ inode }) => `socket:[${inode}]`));
  const pidsByLink = new Map<string, number[]>();
  let unreadableCount = 0;
  for (const pid of await listPids(procRoot)) {
    const openFiles = await listOpenFiles(procRoot, pid);
    if (openFiles === "unreadable") unreadableCount++;
    else {
      for (const link of openFiles) {
        if (links.has(link)) pidsByLink.set(link, [...(pidsByLink.get(link) ?? []), pid]);
      }
    }
  }
  if (pidsByLink.size < links.size) return unknown(whyHidden(what, unreadableCount));
  const pids = [...new Set([...pidsByLink.values()].flat())].toSorted((a, b) => a - b);
  return (await isDockerProxyAmong(procRoot, pids))
    ? unknown(`${what} belongs to docker-proxy: the server runs in a container`)
    : { state: "found", pids };
}

function whyHidden(what: string, unreadableCount: number): string {
  return unreadableCount > 0
    ? `${what} is probably owned by another user (the open files of ${unreadableCount} processes cannot be read): run as root or give --rail-devices`
    : `no visible process owns ${what}: it runs in another pid namespace, or as another user and /proc hides it`;
}

async function listOpenFiles(procRoot: string, pid: number): Promise<string[] | "unreadable"> {
  const folder = join(procRoot, String(pid), "fd");
  try {
    const fds = await readdir(folder);
    return await Promise.all(fds.map((fd) => readlink(join(folder, fd)).catch(() => "")));
  } catch (error) {
    return isGone(error) ? [] : "unreadable";
  }
}

async function isDockerProxyAmong(procRoot: string, pids: readonly number[]): Promise<boolean> {
  const names = await Promise.all(pids.map((pid) => readProcessFile(procRoot, pid, "comm")));
  return names.some((name) => name?.trim() === "docker-proxy");
}

function unknown(why: string): ListeningPids {
  return { state: "unknown", why };
}
