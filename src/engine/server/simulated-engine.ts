import type { IncomingMessage, ServerResponse } from "node:http";
import { EngineCore } from "../core/engine-core.ts";
import { EnergyTotals } from "../power/energy-totals.ts";
import { PowerHistory } from "../power/power-history.ts";
import type { EngineRail } from "../rail/install-engine-rail.ts";
import { TokenLog } from "../truth/token-log.ts";
import { answerTruth } from "../truth/truth-routes.ts";
import { otherEnergyJ, type TruthSources } from "../truth/truth-sources.ts";
import { CompletionService } from "./completion-service.ts";
import { countText } from "./count-text.ts";
import type { RoutedEngine } from "./engine-routes.ts";
import type { EngineStatus } from "./engine-status.ts";
import { type GpuEnergy, metricsText } from "./metrics-text.ts";
import { openRail } from "./open-rail.ts";
import type { ReadyEngineOptions } from "./resolve-engine-options.ts";

/** The engine, its GPUs, the rail that shows them and the truth about them. */
export class SimulatedEngine implements RoutedEngine {
  readonly originNs: bigint;
  readonly rail: EngineRail;
  readonly model: string;
  readonly contextTokens: number;
  readonly apiKey: string | undefined;
  readonly #options: ReadyEngineOptions;
  readonly #core: EngineCore;
  readonly #service: CompletionService;
  readonly #totals: EnergyTotals;
  readonly #truth: TruthSources | undefined;
  readonly #others: Pick<TruthSources, "tenants" | "idleW">;

  constructor(options: ReadyEngineOptions, originNs: bigint, rail: EngineRail) {
    const { engineProfile: profile, seed, phases } = options;
    this.originNs = originNs;
    this.rail = rail;
    this.model = profile.model;
    this.contextTokens = Math.min(profile.contextTokens, profile.kvTokens);
    this.apiKey = options.apiKey;
    this.#options = options;
    const history = new PowerHistory(profile.power.gpuCount);
    this.#totals = new EnergyTotals(profile.power.gpuCount);
    this.#core = new EngineCore(profile, seed, (atNs, { powerW, isCapped }) => {
      history.append(atNs, powerW, isCapped);
      this.#totals.append(atNs, powerW);
      rail.write(atNs, powerW, isCapped);
    });
    const tokenLog = options.truth ? new TokenLog() : undefined;
    this.#service = new CompletionService(this.#core, originNs, {
      profile,
      seed,
      phases,
      fieldRules: { isStrict: options.strictFields ?? false, refused: options.refusedFields ?? [] },
      faults: options.faults ?? [],
      tokenLog,
    });
    this.#others = { tenants: options.rail?.tenants ?? [], idleW: profile.power.idleW };
    this.#truth = tokenLog && {
      ...this.#others,
      originNs,
      history,
      devices: rail.devices,
      tokenLog,
      catchUp: () => this.#service.loop.catchUp(),
    };
  }

  complete(
    message: IncomingMessage,
    body: string,
    response: ServerResponse,
    isChat: boolean,
  ): Promise<void> {
    return this.#service.answer(message, body, response, isChat);
  }

  countText(taking: () => Promise<void>): Promise<void> {
    return countText(this.#service.counters, taking);
  }

  metrics(): string {
    const nowNs = this.#service.loop.catchUp();
    return metricsText({
      model: this.model,
      counts: this.#core.counts(),
      kvRoomTokens: this.#options.engineProfile.kvTokens,
      counters: this.#service.counters,
      uptimeS: nowNs / 1e9,
      energies: this.#gpuEnergies(nowNs),
    });
  }

  truth(url: URL): object | undefined {
    return this.#truth && answerTruth(this.#truth, url);
  }

  status(): EngineStatus {
    const { engineProfile, profileName, seed } = this.#options;
    const nowNs = this.#service.loop.catchUp();
    const sendLag = this.#service.sendLag.summary();
    return {
      simulated: true,
      profile: profileName,
      summary: engineProfile.summary,
      settings: engineProfile,
      model: this.model,
      seed,
      devices: this.rail.devices,
      uptimeS: nowNs / 1e9,
      counters: this.#service.counters,
      counts: this.#core.counts(),
      steps: this.#core.steps,
      ...(sendLag && { sendLag }),
      servingJ: this.#totals.at(nowNs).reduce((sum, energyJ) => sum + energyJ, 0),
      ...(this.rail.trouble !== undefined && { railTrouble: this.rail.trouble }),
    };
  }

  /** All that went into each GPU of the box, as the counter of a real one has it. */
  #gpuEnergies(nowNs: number): readonly GpuEnergy[] {
    const ownJ = [...this.#totals.at(nowNs)];
    return this.rail.devices.map((device) => {
      const servedJ = device.serves ? ownJ.shift()! : 0;
      return { ...device, energyJ: servedJ + otherEnergyJ(this.#others, device, 0, nowNs) };
    });
  }

  async close(): Promise<void> {
    this.#service.stop();
    await this.rail.remove();
  }
}

/** Opens the rail and the engine behind it; nothing listens yet. */
export async function openSimulatedEngine(options: ReadyEngineOptions): Promise<SimulatedEngine> {
  const originNs = process.hrtime.bigint();
  const { engineProfile, seed, rail = {} } = options;
  const power = engineProfile.power;
  const opened = await openRail({ ...rail, power, originNs, seed });
  return new SimulatedEngine(options, originNs, opened);
}
