import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface FakeProcess {
  readonly pid: number;
  readonly parentPid?: number;
  /** As in `/proc/<pid>/comm`. */
  readonly name?: string;
  /** What each open file links to; `unreadable` stands for another user's, `gone` for none. */
  readonly openFiles?: readonly string[] | "unreadable" | "gone";
  /** Replaces the whole of `/proc/<pid>/stat`; `gone` leaves it out. */
  readonly stat?: string;
}

export interface FakeProcfs {
  readonly processes?: readonly FakeProcess[];
  /** Rows, without the heading, of `/proc/net/tcp` and so on; a table not given is not there. */
  readonly tables?: Readonly<Partial<Record<"tcp" | "tcp6" | "unix", readonly string[]>>>;
}

/** A folder that looks like `/proc`, until the test ends. */
export async function createFakeProcfs({
  processes = [],
  tables = {},
}: FakeProcfs): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "joulemark-proc-"));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(join(root, "net"));
  await mkdir(join(root, "sys"));
  await writeFile(join(root, "version"), "Linux version 6.1.0\n");
  for (const [name, rows] of Object.entries(tables)) {
    await writeFile(join(root, "net", name), `  sl  local_address\n${rows.join("\n")}\n`);
  }
  for (const fakeProcess of processes) await createProcess(root, fakeProcess);
  return root;
}

async function createProcess(root: string, fakeProcess: FakeProcess): Promise<void> {
  const { pid, parentPid = 1, name = "python3", openFiles = [], stat } = fakeProcess;
  const folder = join(root, String(pid));
  await mkdir(folder);
  await writeFile(join(folder, "comm"), `${name}\n`);
  const fullStat = stat ?? `${pid} (${name}) S ${parentPid} ${pid} ${pid} 0 -1 4194304 1 2 3\n`;
  if (stat !== "gone") await writeFile(join(folder, "stat"), fullStat);
  if (openFiles === "gone") return;
  const fds = join(folder, "fd");
  // A link to itself cannot be listed by anybody, root included, and tests do run as root.
  if (openFiles === "unreadable") return symlink("fd", fds);
  await mkdir(fds);
  await Promise.all(openFiles.map((link, fd) => symlink(link, join(fds, String(fd)))));
}

/** A row of `/proc/net/tcp` or `tcp6`, as a little-endian kernel writes it; `0A` is LISTEN. */
export function tcpRow(localHex: string, inode: number, state = "0A"): string {
  const remote = localHex.replace(/.+:/, (address) => `${"0".repeat(address.length - 1)}:`);
  return `   0: ${localHex} ${remote} ${state} 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1 00000000325c3b26 100 0 0 10 0`;
}

/** A row of `/proc/net/unix`. */
export function unixRow(path: string, inode: number, flags = "00010000"): string {
  return `000000001bbdeb0d: 00000002 00000000 ${flags} 0001 01 ${inode} ${path}`;
}

/** Port 8000 on all addresses or on one, as the tables write it on a little-endian machine. */
export const ANY_IPV4_8000: string = "00000000:1F40";
export const LOOPBACK_IPV4_8000: string = "0100007F:1F40";
export const ANY_IPV6_8000: string = "00000000000000000000000000000000:1F40";
