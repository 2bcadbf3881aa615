import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../src/engine/nvidia-smi/scenario.ts";
import { eventually, isAlive } from "../../support/eventually.ts";
import { cleanups } from "../../support/open-rail.ts";
import { box } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

const LIBRARY = fileURLToPath(new URL("../../../dist/index.js", import.meta.url));

/** A program that opens the rail, tells the pid of its nvidia-smi, and then does `then`. */
async function programThat(
  then: string,
  scenario: Scenario = box(1),
): Promise<{ pid: number; childPid: number; ended: Promise<unknown> }> {
  const standIn = await installStandIn(scenario);
  cleanups.push(() => standIn.remove());
  const source = `
    import { openNvidiaSmi } from ${JSON.stringify(LIBRARY)};
    const onEvent = (event) => { if (event.kind === "started") console.log(event.pid); };
    const sampler = await openNvidiaSmi({ path: ${JSON.stringify(standIn.path)}, periodMs: 50, onEvent });
    console.log("open");
    ${then}`;
  const program = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(program, "exit");
  let said = "";
  program.stdout.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  await eventually("the rail is open", () => said.includes("open"));
  return { pid: program.pid!, childPid: Number.parseInt(said, 10), ended };
}

const forEver = "setInterval(() => undefined, 1000);";

describe("no nvidia-smi outlives the program that started it", () => {
  test.each<[string, string, NodeJS.Signals?]>([
    ["Ctrl-C", forEver, "SIGINT"],
    ["SIGTERM", forEver, "SIGTERM"],
    ["the end of the terminal", forEver, "SIGHUP"],
    ["kill -9", forEver, "SIGKILL"],
    ["an exception that nobody catches", "throw new Error('boom');"],
    ["a promise that nobody awaits", "Promise.reject(new Error('boom'));"],
    ["process.exit", "process.exit(3);"],
  ])("%s", async (_why, then, signal) => {
    const { pid, childPid, ended } = await programThat(then);
    expect(childPid).toBeGreaterThan(1);
    if (signal) process.kill(pid, signal);
    await ended;
    await eventually("the child is gone", () => !isAlive(childPid));
  });

  test("a hung child that ignores SIGTERM goes with a program that is ended by SIGTERM", async () => {
    const hung = box(1, { ignoreSigterm: true, faults: [{ kind: "hang", afterTicks: 3 }] });
    const { pid, childPid, ended } = await programThat(forEver, hung);
    process.kill(pid, "SIGTERM");
    await ended;
    await eventually("the child is gone", () => !isAlive(childPid));
  });

  test("the end of the thread that opened the rail", async () => {
    const standIn = await installStandIn(box(1));
    cleanups.push(() => standIn.remove());
    const { Worker } = await import("node:worker_threads");
    const source = `
      const { parentPort } = require("node:worker_threads");
      import(${JSON.stringify(LIBRARY)}).then(({ openNvidiaSmi }) => openNvidiaSmi({
        path: ${JSON.stringify(standIn.path)}, periodMs: 50,
        onEvent: (event) => { if (event.kind === "started") parentPort.postMessage(event.pid); },
      }));`;
    const thread = new Worker(source, { eval: true });
    const [childPid] = (await once(thread, "message")) as [number];
    expect(isAlive(childPid)).toBe(true);
    await thread.terminate();
    await eventually("the child is gone", () => !isAlive(childPid));
  });
});
