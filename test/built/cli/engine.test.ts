import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, afterEach, describe, expect, onTestFinished, test } from "vitest";
import { childrenOf } from "../../support/children.ts";
import { eventually } from "../../support/eventually.ts";
import { type CliRun, runCli, startCli } from "../../support/run-cli.ts";

/** Where engines of this file put their temporary folders; after each test there are none. */
const temporary = mkdtempSync(join(tmpdir(), "joulemark-engines-"));
const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: temporary };
afterEach(() => expect(readdirSync(temporary)).toEqual([]));
afterAll(() => rmSync(temporary, { recursive: true }));

interface Ready {
  readonly simulated: true;
  readonly url: string;
  readonly model: string;
  readonly nvidiaSmiPath: string;
  readonly devices: readonly { readonly index: number; readonly name: string }[];
  readonly originNs: string;
}

/** An engine that serves, as `--json` tells of it. */
async function serving(flags: readonly string[] = [], more: NodeJS.ProcessEnv = {}) {
  const profile = flags.includes("--instant") ? [] : ["--profile", "tiny"];
  const args = ["engine", "--port", "0", "--json", ...profile, ...flags];
  const run = startCli(args, { env: { ...env, ...more } });
  onTestFinished(() => void run.child.kill("SIGKILL"));
  await eventually("it serves", () => {
    if (run.child.exitCode !== null) throw new Error(run.said.stderr);
    return run.said.stdout.includes("\n");
  });
  return { run, ready: JSON.parse(run.said.stdout) as Ready };
}

async function end(run: CliRun, signal: NodeJS.Signals = "SIGINT") {
  run.child.kill(signal);
  return run.ended;
}

async function post(url: string, body: object, headers = {}): Promise<Response> {
  return fetch(`${url}/v1/completions`, { method: "POST", body: JSON.stringify(body), headers });
}

describe("joulemark engine", () => {
  test("says in one line of JSON that it serves, and serves", async () => {
    const { run, ready } = await serving(["--truth", "--seed", "7", "--model", "my-model"]);
    expect(ready).toMatchObject({ simulated: true, model: "my-model" });
    expect(ready.devices).toMatchObject([{ index: 0, serves: true }]);
    expect(ready.devices[0]!.name).toMatch(/^SIMULATED /);
    const sinceNs = process.hrtime.bigint() - BigInt(ready.originNs);
    expect(sinceNs > 0n && sinceNs < 60_000_000_000n).toBe(true);
    expect((await post(ready.url, { prompt: "a", max_tokens: 2 })).status).toBe(200);
    const replies = await (await fetch(`${ready.url}/truth/replies`)).json();
    expect(replies).toMatchObject({ replies: [{ replyId: "cmpl-sim-7-0", end: "finished" }] });
    const smi = await runCli(["rails", "--json", "--nvidia-smi", ready.nvidiaSmiPath], { env });
    expect(smi.stdout).toContain("SIMULATED");
    expect((await end(run)).stdout).toBe(run.said.stdout);
  });

  test("shows people what it is, where it is and what to do next", async () => {
    const run = startCli(["engine", "--port", "0", "--profile", "70b-4xh100"], { env });
    onTestFinished(() => void run.child.kill("SIGKILL"));
    await eventually("it serves", () => run.said.stderr.includes("Ctrl-C"));
    expect(run.said.stdout).toMatch(/^SIMULATED engine "70b-4xh100" serves; nothing of it is real/);
    expect(run.said.stdout.match(/\d: SIMULATED H100/g)).toHaveLength(4);
    expect(run.said.stderr).toMatch(/curl http:\/\/127\.0\.0\.1:\d+\/v1\/models/);
    await end(run);
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s is its normal end: exit code 0, a summary, and nothing is left, not even with open streams",
    async (signal) => {
      const { run, ready } = await serving();
      await (await post(ready.url, { prompt: "a", max_tokens: 3, ignore_eos: true })).text();
      await post(ready.url, { prompt: "a", fault: { kind: "status", status: 500 } });
      const open = await post(ready.url, { prompt: "a", max_tokens: 9000, stream: true });
      const children = childrenOf(run.child.pid!);
      const { exitCode, stderr } = await end(run, signal);
      expect(exitCode).toBe(0);
      expect(stderr).toContain("SIMULATED engine ended");
      const summary = stderr.replaceAll(/\s+/g, " ");
      expect(summary).toContain(
        "requests 3: 1 finished, 0 refused, 1 failed on purpose, 0 abandoned by their client, 1 ended with the engine",
      );
      expect(summary).toContain("the engine's own work and idling on its GPU, without");
      expect(stderr).toMatch(/energy +[\d.,]+ k?J \(SIMULATED\)/);
      expect(stderr).not.toContain("interrupted");
      expect(children).toEqual([]);
      await expect(open.text()).rejects.toThrow();
      await expect(fetch(ready.url)).rejects.toThrow("fetch failed");
    },
  );

  test("puts its nvidia-smi where it is told to, for the PATH, and takes it away again", async () => {
    const dir = mkdtempSync(join(tmpdir(), "joulemark-smi-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    writeFileSync(join(dir, "other"), "stays");
    const { run, ready } = await serving(["--smi-dir", dir, "--gpus", "2"]);
    expect(ready.nvidiaSmiPath).toBe(join(dir, "nvidia-smi"));
    const PATH = `${dir}${delimiter}${process.env["PATH"]}`;
    const rails = await runCli(["rails", "--json"], { env: { ...env, PATH } });
    expect(rails.stdout.match(/SIMULATED RTX 4090/g)!.length).toBeGreaterThanOrEqual(2);
    await end(run);
    expect(readdirSync(dir)).toEqual(["other"]);
  });

  test("never puts it in the place of a real one", async () => {
    const dir = mkdtempSync(join(tmpdir(), "joulemark-smi-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const real = join(dir, "nvidia-smi");
    writeFileSync(real, "\u007fELF real");
    const refused = await runCli(["engine", "--port", "0", "--smi-dir", dir], { env });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`${real} is there already and is no stand-in`);
    expect(readFileSync(real, "latin1")).toBe("\u007fELF real");
  });

  test("wants the key that a variable holds, which is never shown", async () => {
    const key = "sim-secret-5309";
    const { run, ready } = await serving(["--api-key-env", "ENGINE_KEY"], { ENGINE_KEY: key });
    expect((await post(ready.url, { prompt: "a" })).status).toBe(401);
    const authorization = `Bearer ${key}`;
    expect((await post(ready.url, { prompt: "a" }, { authorization })).status).toBe(200);
    const status = await (await fetch(`${ready.url}/engine`)).text();
    const { stdout, stderr } = await end(run);
    expect([status, stdout, stderr].join()).not.toContain(key);
  });

  test("takes figures, faults, tenants and rules of fields", async () => {
    const dir = mkdtempSync(join(tmpdir(), "joulemark-fault-"));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = join(dir, "fault.json");
    writeFileSync(file, '{"kind":"status","status":418,"untilRequest":1}');
    const { run, ready } = await serving([
      ...["--set", "power.gpuCount=2", "--set", "contextTokens=100"],
      ...["--fault", `@${file}`, "--fault", '{"kind":"short","tokens":1}'],
      ...["--tenant", "2:80", "--tenant", "0:100:0.5", "--gpus", "3"],
      ...["--strict-fields", "--refuse-fields", "seed"],
    ]);
    expect(ready.devices).toHaveLength(3);
    expect((await post(ready.url, { prompt: "a" })).status).toBe(418);
    const short = (await (await post(ready.url, { prompt: "a" })).json()) as object;
    expect(short).toMatchObject({ usage: { completion_tokens: 1 } });
    for (const field of ["seed", "sead"]) {
      expect((await post(ready.url, { prompt: "a", [field]: 1 })).status).toBe(400);
    }
    expect((await post(ready.url, { prompt: "a", max_tokens: 101 })).status).toBe(400);
    await end(run);
  });

  test("--list-profiles prints every figure that can be set, with its unit, and ends", async () => {
    const shown = await runCli(["engine", "--list-profiles"], { env });
    expect(shown.exitCode).toBe(0);
    expect(shown.stdout).toContain("SIMULATED");
    expect(shown.stdout).toMatch(/^--set +unit +8b-h100 +70b-4xh100 +3b-edge +tiny +meaning$/m);
    expect(shown.stdout).toMatch(/^power\.limitW +W +700 +700 +40 +320 /m);
    const refused = await runCli(["engine", "--set", "nope=1"], { env });
    const keys = /the keys are (.*)\n/.exec(refused.stderr)![1]!.split(", ");
    expect(keys.length).toBeGreaterThan(20);
    const told = shown.stdout.slice(shown.stdout.indexOf("meaning")).split("\n");
    const listed = told.slice(1).map((line) => line.split(" ")[0]);
    expect(["summary", ...listed].filter((key) => key !== "")).toEqual(keys);
    const json = await runCli(["engine", "--list-profiles", "--json"], { env });
    expect(JSON.parse(json.stdout)).toMatchObject({ tiny: { power: { limitW: 320 } } });
  });

  test("/engine shows its figures, those of the profile and those that were changed", async () => {
    const { run, ready } = await serving(["--set", "stepBaseMs=7.5", "--set", "power.limitW=301"]);
    const status = await (await fetch(`${ready.url}/engine`)).json();
    expect(status).toMatchObject({
      profile: "tiny",
      settings: { stepBaseMs: 7.5, maxRunning: 256, power: { limitW: 301, idleW: 60 } },
    });
    await end(run);
  });

  test("--instant answers at once, with no GPUs", async () => {
    const { run, ready } = await serving(["--instant"]);
    expect(Object.keys(ready)).toEqual(["simulated", "url"]);
    const body = { model: "instant", messages: [], max_tokens: 3, stream: true };
    const reply = await fetch(`${ready.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(body),
    });
    expect(await reply.text()).toContain("[DONE]");
    const { exitCode, stderr } = await end(run);
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("1 requests, 3 token events")]);
  });

  test("--instant says to people that it is SIMULATED", async () => {
    const run = startCli(["engine", "--instant", "--port", "0"], { env });
    onTestFinished(() => void run.child.kill("SIGKILL"));
    await eventually("it serves", () => run.said.stdout.includes("\n"));
    expect(run.said.stdout).toMatch(/^SIMULATED instant server at /);
    await end(run);
  });
});

describe("wrong use of joulemark engine is told, with exit code 2", () => {
  test.each<[string, string[], RegExp]>([
    ["a model without a name", ["--model", ""], /'--model <name>' .*Give a name of one line/],
    ["a figure that there is not", ["--set", "stepBase=3"], /--set: .*no stepBase, did you mean/],
    [
      "a figure that is none",
      ["--set", "stepBaseMs=soon"],
      /--set: .*stepBaseMs=soon is not a number/,
    ],
    [
      "a setting without a value",
      ["--set", "stepBaseMs"],
      /'--set <key=value>' argument 'stepBaseMs' .*Give key=value/,
    ],
    [
      "a fault of no kind",
      ["--fault", '{"kind":"sloth"}'],
      /'--fault <json>' .*sloth.*is not "status" or/,
    ],
    [
      "a fault that is no JSON",
      ["--fault", "status"],
      /'--fault <json>' argument 'status' .*Give one fault as JSON/,
    ],
    [
      "a fault of no file",
      ["--fault", "@/nowhere/x"],
      /'--fault <json>' argument '@\/nowhere\/x'.*ENOENT/,
    ],
    ["two faults in one", ["--fault", "[]"], /'--fault <json>' .*\[\] is not an object/],
    ["a fault's misspelt key", ["--fault", '{"kind":"reset","after":3}'], /after: no such option/],
    ["a rail's fault", ["--rail-fault", '{"kind":"die"}'], /'--rail-fault <json>'.*missing/],
    [
      "a rail's fault of no GPU",
      ["--rail-fault", '{"kind":"freeze","afterTicks":0,"index":3}'],
      /there is no device 3/,
    ],
    ["a tenant without watts", ["--tenant", "0"], /'--tenant .*argument '0' .*Give GPU:WATTS/],
    ["a tenant without a GPU", ["--tenant", "5:80"], /tenant's GPU 5 is not in a box of 1/],
    ["a box that is too small", ["--gpus", "1", "--first-gpu", "1"], /do not fit into a box of 1/],
    [
      "a variable that is not set",
      ["--api-key-env", "NO_SUCH_KEY"],
      /--api-key-env: NO_SUCH_KEY is not set.*give the name/,
    ],
    ["a port", ["--port", "70000"], /'--port <n>' argument '70000' .*from 0 to 65535/],
    ["a profile", ["--profile", "9b"], /Allowed choices are 8b-h100, /],
    ["a phase", ["--phases", "apart"], /Allowed choices are together, spread/],
    ["fields", ["--refuse-fields", "a,,b"], /Give field names/],
    ["a folder that cannot be", ["--smi-dir", "/dev/null/x"], /\/dev\/null\/x .*name a folder/],
    ["a fault of no engine", ["--instant", "--fault", '{"kind":"error"}'], /--fault would change/],
    [
      "flags of an engine that there is not",
      ["--instant", "--truth", "--model", "x", "--profile", "8b-h100", "--json"],
      /--profile, --model, --truth would change nothing: --instant only goes with --port and --json/,
    ],
    ["a misspelt flag", ["--sede", "3"], /unknown option '--sede'[\s\S]*--seed/],
  ])("%s", async (_what, flags, message) => {
    const { exitCode, stdout, stderr } = await runCli(["engine", "--port", "0", ...flags], { env });
    expect(stderr).toMatch(message);
    expect([exitCode, stdout]).toEqual([2, ""]);
  });

  test("a key in the place of its variable is not shown", async () => {
    const { exitCode, stderr } = await runCli(["engine", "--api-key-env", "sk-live-123"], { env });
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain("sk-live-123");
  });

  test.each([[[]], [["--instant"]]])("a port that is taken %j", async (flags) => {
    const server = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await eventually("it listens", () => server.listening);
    const { port } = server.address() as { port: number };
    const taken = await runCli(["engine", "--port", String(port), ...flags], { env });
    expect(taken.exitCode).toBe(2);
    expect(taken.stderr).toBe(
      `joulemark: port ${port} of 127.0.0.1 is taken; give another one, or 0 for any that is free\n`,
    );
  });
});
