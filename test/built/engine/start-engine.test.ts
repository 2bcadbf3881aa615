import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Engine,
  JoulemarkError,
  nowMs,
  parseTarget,
  startEngine,
  streamRequest,
} from "joulemark";
import { afterAll, afterEach, describe, expect, onTestFinished, test } from "vitest";
import { eventually, isAlive } from "../../support/eventually.ts";

const INDEX = fileURLToPath(new URL("../../../dist/index.js", import.meta.url));

async function isGone({ url, pid, nvidiaSmiPath }: Pick<Engine, "url" | "pid" | "nvidiaSmiPath">) {
  await eventually("the engine has ended", () => !isAlive(pid));
  expect(existsSync(dirname(nvidiaSmiPath))).toBe(false);
  await expect(fetch(url)).rejects.toThrow("fetch failed");
}

/** Where engines of this file put their temporary folders; after each test there are none. */
const temporary = mkdtempSync(join(tmpdir(), "joulemark-engines-"));
process.env["TMPDIR"] = temporary;
afterEach(() => expect(readdirSync(temporary)).toEqual([]));
afterAll(() => rmSync(temporary, { recursive: true }));

describe("startEngine", () => {
  test("serves in a process of its own, knows the truth, and leaves nothing when it is closed", async () => {
    const engine = await startEngine({ profile: "tiny", set: { "power.gpuCount": 2 } });
    onTestFinished(() => engine.close());
    expect(engine.pid).not.toBe(process.pid);
    expect(engine.model).toBe("sim-tiny");
    expect(engine.devices).toHaveLength(2);
    expect(existsSync(engine.nvidiaSmiPath)).toBe(true);
    const startMs = nowMs();
    const body = {
      messages: [{ role: "user", content: "hello" }],
      max_tokens: 25,
      ignore_eos: true,
    };
    const outcome = await streamRequest(parseTarget(engine.url), body);
    const endMs = nowMs();
    expect(outcome.completionTokens).toBe(25);
    expect(await engine.truth.tokens(startMs, endMs)).toMatchObject({ events: 25, tokens: 25 });
    const [reply] = await engine.truth.replies();
    expect(reply!.sentMs[0]!).toBeLessThanOrEqual(outcome.firstTokenMs!);
    const middleMs = (startMs + endMs) / 2;
    const [whole, left, right] = await Promise.all([
      engine.truth.energy(startMs, endMs),
      engine.truth.energy(startMs, middleMs),
      engine.truth.energy(middleMs, endMs),
    ]);
    expect(whole.servingJ).toBeGreaterThan(0);
    expect(Math.abs(left.servingJ + right.servingJ - whole.servingJ)).toBeLessThan(1e-9);
    await engine.close();
    await isGone(engine);
    await engine.close();
  });

  test.each([
    ["a profile", { profile: "9b-b200" }, /engine\.profile: "9b-b200" is not "8b-h100" or/],
    ["a figure", { set: { stepBaseMS: 3 } }, /there is no stepBaseMS, did you mean stepBaseMs\?/],
    ["a fault", { faults: [{ kind: "sloth" }] }, /engine\.faults\[0\]\.kind: "sloth"/],
    ["an option", { sed: 3 }, /engine\.sed: no such option/],
    ["tenants", { rail: { tenants: 5 } }, /engine\.rail\.tenants: 5 is not a list/],
    ["a tenant's load", { rail: { tenants: [{ index: 0, pid: 1, load: 5 }] } }, /load: 5 is not/],
    ["a box", { rail: { boxGpuCount: 1, firstIndex: 3 } }, /do not fit into a box of 1/],
    ["a port", { port: 70_000 }, /engine\.port: 70000 is not a port/],
    ["nothing", null, /options: null is not an object/],
    ["a number", 5, /options: 5 is not an object/],
    ["a list", [], /options: .*is not an object/],
    ["a seed", { seed: Number.NaN }, /engine\.seed: NaN is not a number/],
    ["a figure without end", { set: { stepBaseMs: Infinity } }, /stepBaseMs: Infinity is not a/],
  ])("refuses %s that cannot be, and leaves nothing", async (_what, options, message) => {
    const error = await startEngine(options as unknown as object).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(JoulemarkError);
    expect(error).toMatchObject({ code: "bad_option", message: expect.stringMatching(message) });
  });

  test("says which port is taken", async () => {
    const engine = await startEngine({ profile: "tiny" });
    onTestFinished(() => engine.close());
    const port = Number(new URL(engine.url).port);
    await expect(startEngine({ port })).rejects.toThrow(`port ${port} of 127.0.0.1 is taken`);
    await engine.close();
  });
});

describe("an engine never outlives the program that started it", () => {
  const program = `
    import { startEngine } from ${JSON.stringify(INDEX)};
    const { url, pid, nvidiaSmiPath, truth } = await startEngine({ profile: "tiny" });
    process.on("SIGUSR2", async () => console.log(JSON.stringify(await truth.replies())));
    if (process.argv.includes("catches")) process.on("SIGINT", () => {});
    console.log(JSON.stringify({ url, pid, nvidiaSmiPath }));
    if (process.argv.includes("throws")) throw new Error("on purpose");
    setInterval(() => {}, 1000);
  `;

  /** Starts the program in a process group of its own, as a shell does. */
  async function started(...words: string[]) {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, "x", ...words], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const [line] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    return { child, engine: JSON.parse(line) as Engine };
  }

  test.each(["SIGKILL", "SIGTERM", "SIGINT"] as const)("that gets a %s", async (signal) => {
    const { child, engine } = await started();
    child.kill(signal);
    await isGone(engine);
  });

  test("that is ended by Ctrl-C, which goes to the whole group", async () => {
    const { child, engine } = await started();
    process.kill(-child.pid!, "SIGINT");
    await isGone(engine);
  });

  test("that throws", async () => {
    const { engine } = await started("throws");
    await isGone(engine);
  });

  test("but Ctrl-C is for that program to obey: until it ends, the truth can be asked", async () => {
    const { child, engine } = await started("catches");
    process.kill(-child.pid!, "SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect((await fetch(`${engine.url}/health`)).status).toBe(200);
    child.kill("SIGUSR2");
    expect(((await once(child.stdout, "data")) as string[])[0]).toBe("[]\n");
    child.kill("SIGKILL");
    await isGone(engine);
  });

  test("whose engine is told to end", async () => {
    const { engine } = await started();
    process.kill(engine.pid, "SIGTERM");
    await isGone(engine);
  });
});
