import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { onExit } from "signal-exit";
import { nowMs } from "../../src/clock.ts";
import { lastErrorLine } from "./make-venv.ts";
import type { PeerCommand } from "./peer.ts";
import { ProcessTree, type TreeSample } from "./process-tree.ts";

/** What running a program took. */
export interface PeerRun {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly stdout: string;
  /** CPU seconds of the program and all of its children. */
  readonly cpuS: number;
  readonly samples: readonly TreeSample[];
  /** Why it did not end well, in its own words. */
  readonly failure?: string;
}

const SAMPLE_EVERY_MS = 200;
/** The shell adds up what all children that were waited for have used, also the shortest-lived. */
const WITH_TIMES = `"$0" "$@"; code=$?; times >&3; exit $code`;

/** Runs a program to its end, or to its time limit, watching what it uses. */
export async function runPeer(
  { program, args, env }: PeerCommand,
  dir: string,
  limitMs: number,
): Promise<PeerRun> {
  const startedMs = nowMs();
  const child = spawn("/bin/sh", ["-c", WITH_TIMES, program, ...args], {
    cwd: dir,
    env: { ...process.env, NO_COLOR: "1", COLUMNS: "200", ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
  const texts = [1, 2, 3].map((fd) => collect(child, fd));
  // It is in a group of its own, which an interrupt of this program does not reach.
  const release = onExit(() => endGroup(child));
  const tree = new ProcessTree(child.pid!);
  const samples = [tree.sample(startedMs)];
  const sampling = setInterval(() => samples.push(tree.sample(nowMs())), SAMPLE_EVERY_MS);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    endGroup(child);
  }, limitMs);
  const closed = once(child, "close");
  const [code] = (await once(child, "exit")) as [number | null];
  const endedMs = nowMs();
  clearInterval(sampling);
  clearTimeout(limit);
  endGroup(child);
  release();
  await closed;
  const [stdout, stderr, times] = texts.map(({ text }) => text()) as [string, string, string];
  const seenS = samples.at(-1)?.cpuS ?? 0;
  return {
    startedMs,
    endedMs,
    stdout,
    cpuS: Math.max(seenS, childSeconds(times)),
    samples,
    ...(isLate
      ? { failure: `not done after ${(limitMs / 1000).toFixed(0)} s` }
      : code === 0
        ? {}
        : { failure: `exit ${code}: ${lastErrorLine(`${stdout}\n${stderr}`)}` }),
  };
}

/** Ends what is left of a program: one that was left behind would load the machine for the next. */
function endGroup({ pid }: ChildProcess): void {
  try {
    process.kill(-pid!, "SIGKILL");
  } catch {
    // All of it has ended.
  }
}

function collect(child: ChildProcess, fd: number): { text(): string } {
  const chunks: Buffer[] = [];
  const stream = child.stdio[fd] as NodeJS.ReadableStream;
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return { text: () => Buffer.concat(chunks).toString("utf8") };
}

/** The second line of `times` is about the children: user, then system. */
function childSeconds(times: string): number {
  const line = times.trim().split("\n")[1] ?? "";
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}
