import { nowMs, openNvidiaSmi, type PowerSample } from "joulemark";
import { expect, test } from "vitest";
import type { GpuWork } from "../../../src/engine/power/gpu-work.ts";
import { PowerHistory } from "../../../src/engine/power/power-history.ts";
import { PowerModel } from "../../../src/engine/power/power-model.ts";
import { tenantEnergyJ } from "../../../src/engine/power/tenant.ts";
import type { EngineRail } from "../../../src/engine/rail/install-engine-rail.ts";
import { cleanups, measured } from "../../support/open-rail.ts";
import { powerProfile } from "../power/power-profile.ts";
import { engineRail } from "./engine-rail.ts";

const POWER = powerProfile({
  gpuCount: 2,
  awakeMs: 400,
  rampMs: 60,
  noise: 0.05,
  limitW: 380,
});
const TENANT = { kind: "square", lowW: 10, highW: 110, periodMs: 300, highMs: 100 } as const;
const IDLE: GpuWork = { kind: "idle" };

/** An engine that does as its script says, in real time. */
class ScriptedEngine {
  readonly history = new PowerHistory(POWER.gpuCount);
  readonly #model = new PowerModel(POWER, 9);
  readonly #rail: EngineRail;
  readonly #originNs: bigint;

  constructor(rail: EngineRail, originNs: bigint) {
    this.#rail = rail;
    this.#originNs = originNs;
  }

  get nowNs(): number {
    return Number(process.hrtime.bigint() - this.#originNs);
  }

  begin(work: GpuWork): void {
    const atNs = this.nowNs;
    const { powerW, isCapped } = this.#model.begin(work, atNs);
    this.history.append(atNs, powerW, isCapped);
    this.#rail.write(atNs, powerW, isCapped);
  }

  /** Begins work every 20 ms, a little more each time, with a prefill now and then. */
  async serve(forMs: number): Promise<void> {
    const endNs = this.nowNs + forMs * 1e6;
    for (let i = 0; this.nowNs < endNs; i++) {
      this.begin({ kind: "step", decoding: 1 + (i % 16), prefillShare: i % 10 === 0 ? 0.8 : 0 });
      await delay(20);
    }
    this.begin(IDLE);
  }

  async rest(forMs: number): Promise<void> {
    const endNs = this.nowNs + forMs * 1e6;
    while (this.nowNs < endNs) {
      const nextNs = Math.min(this.#model.nextChangeNs(this.nowNs) ?? endNs, endNs);
      await delay((nextNs - this.nowNs) / 1e6 + 1);
      this.begin(IDLE);
    }
  }
}

test("a real sampler reads from the rail the joules that the engine has drawn", async () => {
  const originNs = process.hrtime.bigint();
  const originMs = nowMs();
  const rail = await engineRail({
    power: POWER,
    originNs,
    boxGpuCount: 3,
    tenants: [{ index: 1, pid: 1, load: TENANT }],
    timing: { jitterMs: [0, 5] },
  });
  const engine = new ScriptedEngine(rail, originNs);
  engine.begin(IDLE);
  const samples: PowerSample[] = [];
  const sampler = await openNvidiaSmi({
    path: rail.path,
    periodMs: 50,
    onEvent: (event) => event.kind === "read" && samples.push(...event.samples),
  });
  cleanups.push(() => sampler.stop());
  expect(sampler.facts.head).toBe("sim_rail");
  await engine.rest(1200);
  const startNs = engine.nowNs - 100e6;
  await engine.serve(1500);
  await engine.rest(2000);
  const endNs = engine.nowNs - 100e6;

  const window = measured(await sampler.window(originMs + startNs / 1e6, originMs + endNs / 1e6));
  const trueJ = [0, 1].map((gpu) => engine.history.energyJ(gpu, startNs, endNs, engine.nowNs));
  trueJ[1]! += tenantEnergyJ(TENANT, startNs, endNs);
  const idleJ = (POWER.idleW * (endNs - startNs)) / 1e9;
  // Quiet at both ends, a mean of the last second loses nothing: what is left are the moments
  // between a change and its reading.
  const mostJ = (longestGapS(samples) + 0.1) * (POWER.limitW - POWER.idleW + TENANT.highW);
  for (const [i, expectedJ] of [...trueJ, idleJ].entries()) {
    const { energyJ } = window.byDevice[rail.devices[i]!.uuid]!;
    expect(Math.abs(energyJ - expectedJ)).toBeLessThan(i === 2 ? 0.1 : mostJ);
  }
  expect(engine.history.cappedNs(startNs, endNs, engine.nowNs)).toBeGreaterThan(0);
  expect(rail.trouble).toBeUndefined();
});

/** The longest time between two readings of one device. */
function longestGapS(samples: readonly PowerSample[]): number {
  const lastMs = new Map<string | undefined, number>();
  let longestMs = 0;
  for (const { device, atMs } of samples) {
    longestMs = Math.max(longestMs, atMs - (lastMs.get(device) ?? atMs));
    lastMs.set(device, atMs);
  }
  return longestMs / 1000;
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
