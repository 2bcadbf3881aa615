import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const EXAMPLE = fileURLToPath(new URL("../../examples/llama-server", import.meta.url));
const INSTALL = ["ci", "--omit=optional", "--ignore-scripts"];
const INSTALL_MS = 120_000;

/** The example of a real engine, installed in a folder of its own. */
export interface InstalledLlama {
  readonly folder: string;
  /** Starts it on a free port. */
  start(...args: string[]): Promise<RunningLlama>;
  /** Ends what still runs, and removes the folder. */
  remove(): Promise<void>;
}

export interface RunningLlama {
  readonly url: string;
  readonly model: string;
  readonly child: ChildProcess;
  /** All that came on stdout so far. */
  readonly stdout: () => string;
  /** Resolves to its exit code. */
  readonly ended: Promise<number | null>;
}

/**
 * Copies the example and installs its dependencies, as its README says.
 *
 * @throws {Error} where npm cannot do that, for example without a way to its registry.
 */
export async function installLlama(): Promise<InstalledLlama> {
  const folder = await mkdtemp(join(tmpdir(), "joulemark-llama-"));
  const filter = (from: string): boolean => basename(from) !== "node_modules";
  await cp(EXAMPLE, folder, { recursive: true, filter });
  try {
    await promisify(execFile)("npm", INSTALL, { cwd: folder, timeout: INSTALL_MS });
  } catch (cause) {
    await rm(folder, { recursive: true });
    const { stderr } = cause as { stderr?: string };
    const said = `npm ${INSTALL.join(" ")} failed in a copy of examples/llama-server`;
    throw new Error(`${said}; it needs npm's registry, or a full cache:\n${stderr}`, { cause });
  }
  const started: RunningLlama[] = [];
  return {
    folder,
    async start(...args) {
      const running = await startIn(folder, args);
      started.push(running);
      return running;
    },
    async remove() {
      for (const { child } of started) child.stdin!.end();
      await Promise.all(started.map(({ ended }) => ended));
      await rm(folder, { recursive: true });
    },
  };
}

async function startIn(folder: string, args: readonly string[]): Promise<RunningLlama> {
  const argv = [join(folder, "server.mjs"), "--port", "0", "--end-with-stdin", ...args];
  const child = spawn(process.execPath, argv, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(child, "close").then(([code]) => code as number | null);
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  while (!stdout.includes("\n")) {
    const isOver = await Promise.race([
      once(child.stdout, "data").then(() => false),
      ended.then(() => true),
    ]);
    if (isOver) throw new Error("the engine did not start");
  }
  const { url, model } = JSON.parse(stdout) as { url: string; model: string };
  return { url, model, child, stdout: () => stdout, ended };
}
