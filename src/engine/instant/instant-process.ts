import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The instant server in a process of its own, so that it shares no event loop with its client. */
export interface InstantProcess {
  readonly url: string;
  /** With several processes, the parent of them all. */
  readonly pid: number;
  close(): Promise<void>;
}

export interface InstantProcessOptions {
  /**
   * How many processes answer, default 1. Each takes up to a core; where every event is a write of
   * its own, one cannot send as fast as a load thread reads. `/seen` tells of one of them only.
   */
  readonly processes?: number;
}

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));

/** Starts it on a free port of the loopback interface. It ends with this program at the latest. */
export async function startInstantProcess({
  processes = 1,
}: InstantProcessOptions = {}): Promise<InstantProcess> {
  const child = spawn(process.execPath, [MAIN, "0", String(processes)], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  const [line] = (await Promise.race([
    once(child.stdout.setEncoding("utf8"), "data"),
    ended.then(() => Promise.reject(new Error("the instant server did not start"))),
  ])) as [string];
  const { url } = JSON.parse(line) as { url: string };
  return {
    url,
    pid: child.pid!,
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
