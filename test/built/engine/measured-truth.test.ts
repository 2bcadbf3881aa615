import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { EnergyMeter, type EngineOptions, nowMs, startEngine } from "joulemark";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../support/run-cli.ts";

/** Power that only rises and then only falls, so that the bound below is strict. */
const PLAIN = { "power.noise": 0, "power.awakeMs": 200 };

async function engineWith(options: EngineOptions) {
  const engine = await startEngine(options);
  onTestFinished(() => engine.close());
  return engine;
}

/** Quiet, one stream of about three seconds, quiet; says when it began and ended, in ns. */
const LOAD = `
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const startNs = process.hrtime.bigint();
  await sleep(700);
  const [url, tokens] = process.argv.slice(1);
  const body = { prompt: "go", max_tokens: Number(tokens), ignore_eos: true, stream: true };
  const response = await fetch(url + "/v1/completions", { method: "POST", body: JSON.stringify(body) });
  await response.text();
  await sleep(1900);
  console.log("from " + startNs + " to " + process.hrtime.bigint() + ".");
`;

interface Printed {
  readonly exitCode: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly metrics: Readonly<Record<string, number>>;
}

const UPDATE_MS = 100;

/** The longest time between two readings of a run's log. */
function longestGapMs(out: string): number {
  const text = readFileSync(join(out, readdirSync(out)[0]!, "rail.jsonl"), "utf8");
  const atMs = text
    .trim()
    .split("\n")
    .flatMap((line) => (JSON.parse(line) as { samples?: { atMs: number }[] }).samples ?? [])
    .map((sample) => sample.atMs);
  const times = [...new Set(atMs)];
  return Math.max(...times.slice(1).map((time, i) => time - times[i]!));
}

describe("what joulemark measures of an engine whose truth is known", () => {
  test.each<[string, EngineOptions, number]>([
    ["one GPU", { profile: "tiny", set: PLAIN }, 900],
    ["four GPUs", { profile: "70b-4xh100", set: PLAIN }, 150],
  ])(
    "%s: the joules of a command, within what its sensor allows",
    async (_what, options, tokens) => {
      const engine = await engineWith(options);
      const path = `${dirname(engine.nvidiaSmiPath)}${delimiter}${process.env["PATH"]}`;
      const out = await mkdtemp(join(tmpdir(), "joulemark-out-"));
      const flags = ["--json", "--rail-period", "100", "--baseline", "0", "--out", out];
      const command = ["node", "--input-type=module", "-e", LOAD, engine.url, String(tokens)];
      const end = await runCli(["measure", ...flags, "--", ...command], {
        env: { ...process.env, PATH: path },
      });
      const printed = JSON.parse(end.stdout) as Printed;
      expect(printed.exitCode, end.stderr).toBe(0);

      // The JSON does not hold the clock's origin. It need not: the command is quiet at both ends,
      // where each GPU draws the same constant power, so it only matters how long the window is.
      const [, startNs, endNs] = /from (\d+) to (\d+)\./.exec(end.stderr)!;
      const ms = (ns: string): number =>
        nowMs() - Number(process.hrtime.bigint() - BigInt(ns)) / 1e6;
      const [innerStartMs, innerEndMs] = [ms(startNs!), ms(endNs!)];
      const inner = await engine.truth.energy(innerStartMs, innerEndMs);
      const quiet = await engine.truth.energy(innerStartMs, innerStartMs + 500);
      const quietW = quiet.servingJ / 0.5;
      const outsideMs = printed.endMs - printed.startMs - (innerEndMs - innerStartMs);
      expect(outsideMs).toBeGreaterThan(0);
      const truthJ = inner.servingJ + (quietW * outsideMs) / 1000;
      const loadedJ = inner.servingJ - (quietW * (innerEndMs - innerStartMs)) / 1000;
      expect(loadedJ).toBeGreaterThan(100);

      // The sensor shows the mean power of its last second, a number of up to UPDATE_MS of age, and
      // each reading holds until the next one: what holds at t is the mean of a time that ended at
      // most d = UPDATE_MS + the longest gap before t. Both ends of the window are quiet for longer
      // than the mean and d, so the mean's own lag moves joules within the window and loses none.
      // The power rises once and falls once, so the mean does too: the age d takes between 0 and
      // rise × d from the integral while it rises, and adds as much while it falls. Hence
      // |error| ≤ rise × d, and 0.1 W for the sensors' noise and last digits, for each GPU.
      const power = await powerOf(engine.url, startNs!, endNs!);
      const riseW = Math.max(...power) - quietW;
      const allowedS = (UPDATE_MS + longestGapMs(out)) / 1000;
      const windowS = (printed.endMs - printed.startMs) / 1000;
      const boundJ = riseW * allowedS + 0.1 * engine.devices.length * windowS;
      const measuredJ = printed.metrics["sim_rail_energy_j"]!;
      expect(Math.abs(measuredJ - truthJ)).toBeLessThan(boundJ);
      // And the bound says something: it is a small part of what the load took.
      expect(boundJ).toBeLessThan(loadedJ);
    },
  );

  test("of two GPUs the one that serves alone counts, when the target is given", async () => {
    const engine = await engineWith({
      profile: "tiny",
      set: PLAIN,
      rail: {
        firstIndex: 1,
        boxGpuCount: 2,
        tenants: [{ index: 0, pid: 1, load: { kind: "constant", powerW: 250 } }],
      },
    });
    const meter = new EnergyMeter({ nvidiaSmiPath: engine.nvidiaSmiPath, periodMs: 100 });
    onTestFinished(() => meter.stop().then(() => {}));
    await meter.start(engine.url);
    const startMs = nowMs();
    const release = meter.sampler?.hold(startMs);
    const body = JSON.stringify({ prompt: "go", max_tokens: 500, ignore_eos: true });
    await (await fetch(`${engine.url}/v1/completions`, { method: "POST", body })).text();
    await new Promise((resolve) => setTimeout(resolve, 1900));
    const endMs = nowMs();
    const window = await meter.window(startMs, endMs);
    release?.();
    if (window.state !== "measured") throw new Error(JSON.stringify(window.reasons));
    const truth = await engine.truth.energy(startMs, endMs);
    const [foreign, serving] = truth.devices;
    expect(serving!.energyJ).toBe(truth.servingJ);
    expect(Object.keys(window.byDevice)).toHaveLength(1);
    // Both together would be more than twice of it.
    expect(foreign!.energyJ).toBeGreaterThan(serving!.energyJ);
    expect(Math.abs(window.energyJ / truth.servingJ - 1)).toBeLessThan(0.25);
  });
});

/** All that the serving GPUs together drew in an interval, piece by piece, in W. */
async function powerOf(url: string, startNs: string, endNs: string): Promise<number[]> {
  const response = await fetch(`${url}/truth/power?start_ns=${startNs}&end_ns=${endNs}`);
  const { segments } = (await response.json()) as { segments: { powerW: number[] }[] };
  return segments.map(({ powerW }) => powerW.reduce((sum, watts) => sum + watts, 0));
}
