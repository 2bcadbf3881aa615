import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Scenario, ScenarioDevice } from "../../../src/engine/nvidia-smi/scenario.ts";
import { installStandIn, type StandIn } from "../../support/stand-in.ts";

/** A bound on every wait, so that a broken stand-in fails a test instead of blocking it. */
const PATIENCE_MS = 10_000;

export interface Answer {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** A capture among the fixtures, by the part of its name behind `nvidia-smi-`. */
export function capture(name: string): string {
  return fileURLToPath(new URL(`../../cases/power/nvidia-smi-${name}`, import.meta.url));
}

/** A GPU that draws the same for ever, unless told otherwise. */
export function gpu(index: number, more: Partial<ScenarioDevice> = {}): ScenarioDevice {
  return {
    index,
    uuid: `GPU-${index}`,
    name: "SIMULATED GPU",
    power: { kind: "constant", powerW: 100 + index },
    ...more,
  };
}

/** A scenario without jitter. */
export function scenarioOf(devices: ScenarioDevice[], more: Partial<Scenario> = {}): Scenario {
  return { devices, timing: { jitterMs: [0, 0] }, ...more };
}

/** Runs a stand-in to its end. */
export async function ask(scenario: Scenario, ...argv: string[]): Promise<Answer> {
  const { child } = await startLoop(scenario, ...argv);
  const chunks: Record<"stdout" | "stderr", string> = { stdout: "", stderr: "" };
  child.stdout!.on("data", (chunk) => (chunks.stdout += String(chunk)));
  child.stderr!.on("data", (chunk) => (chunks.stderr += String(chunk)));
  const [exitCode] = (await once(child, "close", {
    signal: AbortSignal.timeout(PATIENCE_MS),
  })) as [number | null];
  return { ...chunks, exitCode };
}

/** Asks fields of all GPUs once, without header and units. */
export function query(scenario: Scenario, fields: string, ...argv: string[]): Promise<Answer> {
  return ask(scenario, `--query-gpu=${fields}`, "--format=csv,noheader,nounits", ...argv);
}

/** A stand-in that runs until its test is over. */
export interface Loop {
  readonly child: ChildProcess;
  readonly standIn: StandIn;
  /** Everything printed so far. */
  text(): string;
  /** Everything printed, as soon as it has `count` complete lines. */
  lines(count: number): Promise<string[]>;
  /** Resolves when the process is gone. */
  readonly gone: Promise<{ exitCode: number | null; signal: NodeJS.Signals | null }>;
}

export async function startLoop(scenario: Scenario, ...argv: string[]): Promise<Loop> {
  const standIn = await installStandIn(scenario);
  const child = spawn(standIn.path, argv, { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await standIn.remove();
  });
  let text = "";
  child.stdout!.setEncoding("latin1").on("data", (chunk) => (text += String(chunk)));
  const gone = once(child, "exit").then(([exitCode, signal]) => ({ exitCode, signal }));
  const lines = async (count: number): Promise<string[]> => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const complete = text.split("\n").slice(0, -1);
      if (complete.length >= count) return complete;
      await once(child.stdout!, "data", { signal });
    }
  };
  return { child, standIn, text: () => text, lines, gone };
}

/** Starts a loop over fields, every 10 ms, without header and units. */
export function loopOver(scenario: Scenario, fields: string, ...argv: string[]): Promise<Loop> {
  const format = "--format=csv,noheader,nounits";
  return startLoop(scenario, `--query-gpu=${fields}`, format, "-lms", "10", ...argv);
}

/** Resolves with true when the process ends in time. */
export async function endsWithin(loop: Loop, boundMs: number): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, boundMs, false).unref());
  return Promise.race([loop.gone.then(() => true as const), late]);
}
