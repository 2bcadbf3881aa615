import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { stringify } from "yaml";
import { callCli } from "./fake-jobs.ts";

const dir = mkdtempSync(join(tmpdir(), "joulemark-config-"));
let files = 0;

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv("JOULEMARK_TARGET", undefined);
});

function configOf(text: string): string {
  const file = join(dir, `${files++}.yaml`);
  writeFileSync(file, text);
  return file;
}

async function sweepWith(text: string, words: readonly string[] = []) {
  const call = await callCli(["sweep", "--config", configOf(text), ...words]);
  return { ...call, said: `${call.stderr}${call.error?.message}`, options: call.sweeps[0] };
}

const TARGET = "target: http://127.0.0.1:8000\nmodel: m\n";

describe("a config file", () => {
  test("gives every flag by its name without dashes", async () => {
    vi.stubEnv("TENANT_NAME", "acme");
    const { options } = await sweepWith(
      `${TARGET}concurrency: [1, 64]\ninput-tokens: 128,1024\noutput-tokens: [9, 90]\nduration: 0.5
warmup: 5s\ncache: warm\nseed: 7\nrepeat: 5\nthreads: 3\ntimeout: 9\nextra-body:\n  top_p: 0.9
header-env:\n  - X-Tenant=TENANT_NAME\nrail: none\nrail-local: no\nrail-devices: [0, GPU-1]
rail-gain: [0=1.047, GPU-1=0.98]
require-energy: true\nsettle: 2\nbaseline: 0\nout: elsewhere\ninsecure: false\n`,
    );
    expect(options).toMatchObject({
      concurrency: [1, 64],
      inputTokens: [128, 1024],
      outputTokens: [9, 90],
      durationS: 0.5,
      warmup: { seconds: 5 },
      cache: "warm",
      seed: 7,
      repeat: 5,
      load: { threads: 3, timeoutMs: 9000, extraBody: { top_p: 0.9 } },
      meter: {
        rail: "none",
        isLocal: false,
        devices: ["0", "GPU-1"],
        settleMs: 2000,
        idleMs: 0,
        gain: { 0: 1.047, "GPU-1": 0.98 },
      },
      requireEnergy: true,
      out: "elsewhere",
    });
    expect(options!.target.headers()).toEqual({ "x-tenant": "acme" });
  });

  test("loses against a flag on the line, wins against a default", async () => {
    const { options } = await sweepWith(`${TARGET}concurrency: 4\nrepeat: 2\n`, [
      "--concurrency",
      "8",
    ]);
    expect(options).toMatchObject({ concurrency: [8], repeat: 2, outputTokens: [128] });
  });

  test("loses against the environment too", async () => {
    vi.stubEnv("JOULEMARK_TARGET", "http://127.0.0.1:1111");
    expect((await sweepWith(TARGET)).options!.target.requestUrl.port).toBe("1111");
  });

  test("gives way where a flag on the line ends the cells otherwise", async () => {
    const byTime = await sweepWith(`${TARGET}requests: 64\n`, ["--duration", "3"]);
    expect(byTime.options).toMatchObject({ durationS: 3 });
    expect(byTime.options).not.toHaveProperty("requests");
    expect(byTime.options!.parameters).not.toHaveProperty("requests");
    const byCount = await sweepWith(`${TARGET}duration: 3\n`, ["--requests", "64"]);
    expect(byCount.options).toMatchObject({ requests: 64 });
    expect((await sweepWith(`${TARGET}requests: 64\nduration: 3\n`)).exitCode).toBe(2);
  });

  test("may ask for no quiet time, and a flag on the line wins over it", async () => {
    const none = await sweepWith(`${TARGET}no-settle: true\n`);
    expect(none.options).toMatchObject({ settleMs: 0, meter: { settleMs: 0 } });
    const some = await sweepWith(`${TARGET}no-settle: true\n`, ["--settle", "2"]);
    expect(some.options).toMatchObject({ settleMs: 2000 });
    expect(some.options!.parameters).not.toHaveProperty("no-settle");
    const line = await sweepWith(`${TARGET}settle: 2\n`, ["--no-settle"]);
    expect(line.options).toMatchObject({ settleMs: 0 });
    expect(line.options!.parameters).not.toHaveProperty("settle");
    const both = await sweepWith(`${TARGET}settle: 2\nno-settle: true\n`);
    expect(both).toMatchObject({
      exitCode: 2,
      said: expect.stringContaining("--settle 2 and --no-settle"),
    });
  });

  test("may be empty", async () => {
    const call = await sweepWith("# nothing yet\n", ["--target", "http://h", "--model", "m"]);
    expect(call.options).toMatchObject({ concurrency: [1, 2, 4, 8, 16, 32] });
  });

  test.each<[string, RegExp]>([
    ["concurency: 3", /concurency is no flag of sweep: the keys are .*concurrency/],
    ["config: other.yaml", /config is no flag/],
    ["warmup: 5m", /warmup: "5m" is invalid\. Give whole rounds/],
    ["concurrency: [1, x]", /concurrency: \[1,"x"\] is invalid\. Give whole numbers/],
    ["concurrency: {a: 1}", /concurrency: \{"a":1\} is invalid\. Give one text or number/],
    ["model: [a, b]", /model: \["a","b"\] is invalid\. Give one text/],
    ["model:", /model: null is invalid/],
    ["repeat: .inf", /repeat: null is invalid/],
    ["cache: hot", /cache: "hot" is invalid\. Allowed choices are cold, warm/],
    ["rail-local: true", /rail-local: true is invalid/],
    ["insecure: maybe", /insecure: "maybe" is invalid\. Give true or false/],
    ["extra-body: {stream: false}", /extra-body: --extra-body holds stream/],
    ["- concurrency", /holds no names and values; give one flag a line/],
    ["just words", /holds no names and values/],
    ["concurrency: [1\nrepeat: {", /line \d+, column \d+ is no YAML/],
    ["repeat: 1\nrepeat: 2", /line 2, column 1 is no YAML: Map keys must be unique/],
  ])("that is wrong is told with file, key and value: %j", async (text, message) => {
    const call = await sweepWith(text, ["--target", "http://h", "--model", "m"]);
    expect(call.exitCode).toBe(2);
    expect(call.said).toMatch(message);
    expect(call.said).toMatch(/--config .*\d+\.yaml/);
    expect(call.options).toBeUndefined();
  });

  test("tells all that is wrong at once, and repeats nothing that may be a key", async () => {
    const key = "sk-verySecret-0123456789";
    const { said } = await sweepWith(
      `repeat: 0\nthreads: 0\napi-key: ${key}\nheader-env: {a: ${key}}\nextra-body: "${key}"\n`,
    );
    for (const name of ["repeat", "threads", "api-key", "header-env", "extra-body"])
      expect(said).toContain(`\n  ${name}`);
    expect(said).not.toContain(key);
  });

  test("is never repeated where it is no YAML", async () => {
    const { said } = await sweepWith("api-key: sk-verySecret-0123456789\n  x: [");
    expect(said).toContain("is no YAML");
    expect(said).not.toContain("sk-very");
  });
});

describe("the parameters of a record", () => {
  test("are a config file themselves, which makes the same run", async () => {
    const words = "--warmup 5s --concurrency 2,4 --rail-local no --settle 1 --require-energy";
    const first = (await sweepWith(TARGET, words.split(" "))).options!;
    const again = (await sweepWith(stringify(first.parameters))).options!;
    const { target: _, ...options } = first;
    expect(again).toMatchObject(options);
    expect(again.target.toJSON()).toEqual(first.target.toJSON());
  });

  test("of a unix socket too", async () => {
    const first = (await sweepWith("target: unix:/run/x.sock\nmodel: m\n")).options!;
    const again = (await sweepWith(stringify(first.parameters))).options!;
    expect(again.target.toJSON()).toEqual(first.target.toJSON());
  });
});

test("a key of a config file can do nothing to a terminal", async () => {
  const { error } = await sweepWith(`${TARGET}"a\\e]0;x\\ab": 1\n`);
  expect(error?.message).toContain("a ]0;x b is no flag of sweep");
});

describe("a config file that is none", () => {
  const level = (i: number) =>
    `l${i}: &l${i} [${Array(9)
      .fill(`*l${i - 1}`)
      .join(", ")}]`;
  test.each([
    ["says one thing over and over", `l0: &l0 [x]\n${[1, 2, 3, 4, 5, 6].map(level).join("\n")}\n`],
    ["has an alias without an anchor", "concurrency: *nowhere\n"],
    ["has an alias within its own anchor", "extra-body: &a\n  b: *a\n"],
    ["is nested without an end", "[".repeat(20_000)],
  ])("%s is wrong use, not a bug", async (_what, text) => {
    const { exitCode, error } = await sweepWith(text);
    expect(exitCode).toBe(2);
    expect(error?.message).toMatch(/--config \S+\.yaml.*give one flag a line/);
  });
});

describe("--resume", () => {
  async function started(text: string): Promise<string> {
    const { parameters } = (await sweepWith(text)).options!;
    const run = join(dir, `run-${files++}`);
    mkdirSync(run);
    writeFileSync(join(run, "run.json"), JSON.stringify({ benchmark: "sweep", parameters }));
    return run;
  }

  test("needs nothing but the folder: the flags are those that the run was started with", async () => {
    const run = await started(`${TARGET}concurrency: [2, 4]\nseed: 9\nwarmup: 5s\n`);
    const { sweeps } = await callCli(["sweep", "--resume", run]);
    expect(sweeps[0]).toMatchObject({
      resume: run,
      concurrency: [2, 4],
      seed: 9,
      warmup: { seconds: 5 },
    });
  });

  test("takes the same flag again, and refuses another value", async () => {
    const run = await started(`${TARGET}concurrency: [2, 4]\nwarmup: 5s\n`);
    const same = ["--concurrency", "2,4", "--warmup", "5s", "--quiet", "--out", "x"];
    expect((await callCli(["sweep", "--resume", run, ...same])).exitCode).toBe(0);
    const other = await callCli(["sweep", "--resume", run, "--concurrency", "8"]);
    expect(other.exitCode).toBe(2);
    expect(other.error?.message).toMatch(
      /--concurrency 8 is not what the run .* was started with \(2,4\): leave it out/,
    );
    const more = await callCli(["sweep", "--resume", run, "--requests", "64"]);
    expect(more.error?.message).toMatch(/--requests 64 .*\(not given\)/);
  });

  test("takes the target again, since a key in it is kept nowhere", async () => {
    const run = await started(TARGET);
    const { sweeps } = await callCli(["sweep", "--resume", run, "--target", "http://h:1/v1?key=k"]);
    expect(sweeps[0]!.target.requestUrl.port).toBe("1");
  });

  test.each([
    ["no JSON", "{", /run\.json is no JSON/],
    ["no parameters", "{}", /tells no parameters/],
    ["null", "null", /tells no parameters/],
    [
      "another benchmark",
      '{"benchmark":"decode-floor","parameters":{}}',
      /it is a decode-floor, not a sweep/,
    ],
  ])("of a run.json that holds %s is an error", async (_what, text, message) => {
    const run = join(dir, `run-${files++}`);
    mkdirSync(run);
    writeFileSync(join(run, "run.json"), text);
    const call = await callCli(["sweep", "--resume", run]);
    expect(call.exitCode).toBe(2);
    expect(call.error?.message).toMatch(message);
  });

  test("does not go with --config", async () => {
    const call = await callCli(["sweep", "--resume", "x", "--config", "y"]);
    expect(call.error?.message).toMatch(/leave --config y out/);
  });
});
