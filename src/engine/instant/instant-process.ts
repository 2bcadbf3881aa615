import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** The instant server in a process of its own, so that it shares no event loop with its client. */
export interface InstantProcess {
  readonly url: string;
  readonly pid: number;
  close(): Promise<void>;
}

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));

/** Starts it on a free port of the loopback interface. It ends with this program at the latest. */
export async function startInstantProcess(): Promise<InstantProcess> {
  const child = spawn(process.execPath, [MAIN], { stdio: ["pipe", "pipe", "inherit"] });
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
