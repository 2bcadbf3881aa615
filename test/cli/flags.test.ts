import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { callCli } from "./fake-jobs.ts";

const URL_ = "http://127.0.0.1:8000";
const TARGET = ["--target", URL_, "--model", "m"];
const dir = mkdtempSync(join(tmpdir(), "joulemark-cli-"));

beforeEach(() => {
  vi.unstubAllEnvs();
  vi.stubEnv("JOULEMARK_TARGET", undefined);
});

/** The options that a sweep is started with. */
async function optionsOf(words: readonly string[]) {
  const { sweeps, error, stderr } = await callCli(["sweep", ...words]);
  if (sweeps.length === 0) throw error ?? new Error(stderr);
  return sweeps[0]!;
}

describe("a sweep without flags but its target", () => {
  test("has the defaults of an ordinary server", async () => {
    const { target, parameters, seed, ...options } = await optionsOf(TARGET);
    expect(options).toEqual({
      concurrency: [1, 2, 4, 8, 16, 32],
      inputTokens: [128],
      outputTokens: [128],
      warmup: { rounds: 1 },
      cache: "cold",
      repeat: 1,
      out: "runs",
      requireEnergy: false,
      load: { threads: 1, timeoutMs: 600_000, endpoint: "chat" },
      meter: { rail: "auto", periodMs: 250, startTimeoutMs: 3000 },
    });
    expect(target.requestUrl.href).toBe(`${URL_}/v1/chat/completions`);
    expect(Number.isSafeInteger(seed)).toBe(true);
  });

  test("has prompts of its own: two runs have two seeds, and the record tells them", async () => {
    const [a, b] = [await optionsOf(TARGET), await optionsOf(TARGET)];
    expect(a.seed).not.toBe(b.seed);
    expect(a.parameters["seed"]).toBe(a.seed);
  });

  test("takes the target from the environment, and a flag wins over it", async () => {
    vi.stubEnv("JOULEMARK_TARGET", "http://127.0.0.1:1111");
    expect((await optionsOf([])).target.requestUrl.port).toBe("1111");
    expect((await optionsOf(TARGET)).target.requestUrl.port).toBe("8000");
  });
});

describe("every flag reaches the benchmark", () => {
  test.each<[string[], object]>([
    [["--concurrency", "1, 64"], { concurrency: [1, 64] }],
    [["--input-tokens", "128,1024"], { inputTokens: [128, 1024] }],
    [["--output-tokens", "9"], { outputTokens: [9] }],
    [["--output-tokens", "64, 256"], { outputTokens: [64, 256] }],
    [["--requests", "64"], { requests: 64 }],
    [["--duration", "0.5"], { durationS: 0.5 }],
    [["--warmup", "0"], { warmup: { rounds: 0 } }],
    [["--warmup", "2.5s"], { warmup: { seconds: 2.5 } }],
    [["--cache", "warm"], { cache: "warm" }],
    [["--seed", "7"], { seed: 7 }],
    [["--repeat", "5"], { repeat: 5 }],
    [["--threads", "3", "--timeout", "9"], { load: { threads: 3, timeoutMs: 9000 } }],
    [["--extra-body", '{"top_p":0.9}'], { load: { extraBody: { top_p: 0.9 } } }],
    [["--endpoint", "completions"], { load: { endpoint: "completions" } }],
    [
      ["--settle", "2", "--baseline", "0"],
      { settleMs: 2000, meter: { settleMs: 2000, idleMs: 0 } },
    ],
    [["--no-settle"], { settleMs: 0, meter: { settleMs: 0 }, parameters: { "no-settle": true } }],
    [["--rail-local", "no"], { meter: { isLocal: false } }],
    [["--rail-local", "yes"], { meter: { isLocal: true } }],
    [["--rail-devices", "0,GPU-1"], { meter: { devices: ["0", "GPU-1"] } }],
    [["--rail-gain", "1.047"], { meter: { gain: 1.047 }, parameters: { "rail-gain": 1.047 } }],
    [
      ["--rail-gain", "0=1.047, GPU-1=0.98"],
      {
        meter: { gain: { 0: 1.047, "GPU-1": 0.98 } },
        parameters: { "rail-gain": ["0=1.047", "GPU-1=0.98"] },
      },
    ],
    [["--rail", "none", "--rail-period", "50"], { meter: { rail: "none", periodMs: 50 } }],
    [["--require-energy"], { requireEnergy: true }],
    [["--out", "elsewhere"], { out: "elsewhere" }],
  ])("%j", async (words, options) => {
    expect(await optionsOf([...TARGET, ...words])).toMatchObject(options);
  });

  test("of a decode floor too", async () => {
    const words = ["--runs", "5", "--max-tokens", "99", "--min-tok-s", "60.5"];
    const { floors } = await callCli([
      "decode-floor",
      ...TARGET,
      ...words,
      "--require-speculation",
    ]);
    expect(floors[0]).toMatchObject({
      runs: 5,
      maxTokens: 99,
      minTokS: 60.5,
      requireSpeculation: true,
      seed: 0,
      repeat: 1,
    });
    const plain = (await callCli(["decode-floor", ...TARGET])).floors[0];
    expect(plain).toMatchObject({ runs: 3, maxTokens: 1500, requireSpeculation: false });
    expect(plain).not.toHaveProperty("minTokS");
  });

  test("a body from a file, and headers from the environment", async () => {
    const file = join(dir, "body.json");
    writeFileSync(file, '{"top_k": 5}');
    vi.stubEnv("TENANT_NAME", "acme");
    const words = ["--extra-body", `@${file}`, "--header-env", "X-Tenant=TENANT_NAME"];
    const { load, target } = await optionsOf([...TARGET, ...words]);
    expect(load.extraBody).toEqual({ top_k: 5 });
    expect(target.headers()).toEqual({ "x-tenant": "acme" });
  });
});

describe("quiet time and none", () => {
  test.each(["sweep", "decode-floor", "measure"])("of %s are not both asked for", async (name) => {
    const target = name === "measure" ? [] : TARGET;
    const rest = name === "measure" ? ["--", "true"] : [];
    const { exitCode, error } = await callCli([
      name,
      ...target,
      "--no-settle",
      "--settle",
      "2",
      ...rest,
    ]);
    expect(exitCode).toBe(2);
    expect(error?.message).toMatch(/--settle 2 and --no-settle say two things: give one of them/);
  });

  test("is said in the plan, and makes it shorter by the time before each window", async () => {
    const planOf = async (...words: readonly string[]) => {
      const { stdout } = await callCli(["sweep", ...TARGET, "--plan", "--json", ...words]);
      return (JSON.parse(stdout) as { guess: { atLeastS: number } }).guess.atLeastS;
    };
    const cells = 6;
    expect((await planOf()) - (await planOf("--no-settle"))).toBeCloseTo(cells * 1.6, 6);
    expect((await planOf()) - (await planOf("--rail", "none"))).toBeCloseTo(cells * 3.2, 6);
    const shown = await callCli(["sweep", ...TARGET, "--plan", "--no-settle"]);
    expect(shown.stdout).toMatch(/quiet time +none before windows: they may begin in moving power/);
    const without = await callCli(["sweep", ...TARGET, "--plan", "--no-settle", "--rail", "none"]);
    expect(without.stdout).not.toContain("quiet time  ");
    expect((await callCli(["sweep", ...TARGET, "--plan"])).stdout).not.toContain("moving power");
  });
});

describe("a wrong value is told with its flag and with what would be right", () => {
  test.each<[string[], RegExp]>([
    [["--concurrency", "0"], /--concurrency <list>' argument '0' is invalid\. Give whole numbers/],
    [["--concurrency", "4,4"], /'4,4' is invalid\. .*none of them twice, such as 1,2,4,8/],
    [["--concurrency", "1,,2"], /--concurrency.*'1,,2'.*Give whole numbers/],
    [["--concurrency", "1e3"], /--concurrency.*'1e3'.*Give whole numbers/],
    [["--input-tokens", "many"], /--input-tokens.*'many'.*such as 128,1024/],
    [
      ["--output-tokens", "-1"],
      /--output-tokens.*'-1'.*Give whole numbers from 1 to .*such as 64,256/,
    ],
    [["--requests", "1.5"], /--requests.*'1\.5'.*Give a whole number/],
    [["--duration", "0"], /--duration.*'0'.*more than 0/],
    [["--warmup", "5m"], /--warmup.*'5m'.*whole rounds.*seconds with their unit, such as 5s/],
    [["--warmup", "-1"], /--warmup.*'-1'/],
    [["--cache", "hot"], /--cache.*'hot'.*cold, warm/],
    [["--seed", "x"], /--seed.*'x'.*Give a whole number from 0/],
    [["--repeat", "0"], /--repeat.*'0'.*from 1 to 1000/],
    [["--endpoint", "responses"], /--endpoint.*'responses'.*chat, completions/],
    [["--timeout", "0"], /--timeout.*'0'.*more than 0/],
    [["--threads", "0"], /--threads.*'0'.*from 1 to 256/],
    [["--settle", "soon"], /--settle.*'soon'.*Give seconds/],
    [["--baseline", "-2"], /--baseline.*'-2'.*Give seconds/],
    [["--rail", "psu"], /--rail.*'psu'.*auto, nvidia-smi, none/],
    [["--rail-local", "maybe"], /--rail-local.*'maybe'.*yes, no/],
    [["--rail-devices", "0,,1"], /--rail-devices.*Give indexes or uuids/],
    [["--rail-gain", "2"], /--rail-gain.*'2'.*above 0\.5 and below 2, such as 1\.047, or one for/],
    [["--rail-gain", "0.5"], /--rail-gain.*'0\.5'.*above 0\.5/],
    [["--rail-gain", "1,2"], /--rail-gain.*'1,2'.*such as 0=1\.047,1=0\.98/],
    [["--rail-gain", "0=1.1,0=1.2"], /--rail-gain.*A device has one gain/],
    [["--rail-gain", "0=big"], /--rail-gain.*'0=big'.*above 0\.5/],
    [["--rail-gain", "=1.1"], /--rail-gain.*'=1\.1'/],
    [["--out", ""], /--out.*Give a path/],
    [["--extra-body", "{"], /--extra-body is no JSON: give an object of JSON, such as/],
    [["--extra-body", "[1]"], /--extra-body is no object: give/],
    [["--extra-body", "@/nowhere"], /--extra-body @\/nowhere could not be read \(ENOENT\)/],
    [["--extra-body", '{"stream":true,"n":2}'], /holds stream, n, which joulemark sets.*them out/],
    [["--requests", "8", "--duration", "3"], /--requests 8 and --duration 3 both end a cell/],
    [["--requests", "8"], /--requests 8 is fewer than the 32 .*at least 32/],
    [["--concurency", "1"], /unknown option '--concurency'[\s\S]*--concurrency/],
    [["--config", "/nowhere.yaml"], /--config \/nowhere\.yaml: .*ENOENT.*name a YAML file/],
    [["--resume", "/nowhere"], /--resume \/nowhere: .*ENOENT.*name a run folder/],
    [["--api-key-env", "NO_SUCH_KEY"], /--api-key-env NO_SUCH_KEY/],
    [["--header-env", "X-A"], /--header-env is NAME=ENV/],
    [["--ca-file", "/nowhere", "--target", "https://h"], /--ca-file \/nowhere could not be read/],
    [["--target", "ftp://h"], /--target .*cannot be used/],
    [["extra"], /too many arguments/],
  ])("%j", async (words, message) => {
    const call = await callCli(["sweep", ...TARGET, ...words]);
    expect(call.exitCode).toBe(2);
    expect(`${call.stderr}${call.error?.message}`).toMatch(message);
    expect(call.sweeps).toEqual([]);
  });

  test("no target at all", async () => {
    const call = await callCli(["sweep"]);
    expect(call.exitCode).toBe(2);
    expect(call.error?.message).toMatch(/--target is missing: .*such as .*JOULEMARK_TARGET/);
  });

  test.each([
    [["--min-tok-s", "fast"], /--min-tok-s.*'fast'.*above 0, such as 60/],
    [["--max-tokens", "1"], /--max-tokens.*'1'.*from 2/],
    [["--runs", "0"], /--runs.*'0'/],
    // Part of the benchmark, as its prompt is.
    [["--seed", "1"], /unknown option '--seed'/],
    [["--repeat", "2"], /unknown option '--repeat'/],
  ])("decode-floor %j", async (words, message) => {
    const call = await callCli(["decode-floor", ...TARGET, ...words]);
    expect(call.exitCode).toBe(2);
    expect(call.stderr).toMatch(message);
  });
});

describe("secrets", () => {
  const KEY = "sk-verySecret-0123456789";

  test.each<[string[]]>([
    [["--extra-body", `{"api_key": "${KEY}"`]],
    [["--extra-body", `"${KEY}"`]],
    [["--header-env", `X-Key=${KEY}`]],
    [["--header-env", KEY]],
    [["--api-key-env", KEY]],
    [["--target", `http://user:${KEY}@host:x`]],
  ])("are in no error: %j", async (words) => {
    const call = await callCli(["sweep", ...TARGET, ...words]);
    expect(call.exitCode).toBe(2);
    expect(`${call.stdout}${call.stderr}${call.error?.message}`).not.toContain(KEY);
  });

  test("are in no parameters, wherever they stood", async () => {
    vi.stubEnv("SECRET_KEY", KEY);
    const words = ["--api-key-env", "SECRET_KEY", "--extra-body", `{"a":{"b":["x ${KEY}"]}}`];
    const target = `http://127.0.0.1:8000/v1?key=${KEY}`;
    const { parameters } = await optionsOf(["--target", target, "--model", "m", ...words]);
    expect(JSON.stringify(parameters)).not.toContain(KEY);
    expect(parameters).toMatchObject({ "api-key-env": "SECRET_KEY" });
    expect(parameters["extra-body"]).toHaveProperty("a.b");
  });
});
