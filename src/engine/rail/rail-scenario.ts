import { JoulemarkError } from "../../errors.ts";
import { DRIVER_BY_AGE, SENSOR_BY_GENERATION } from "../nvidia-smi/generations.ts";
import type { ComputeApp, PowerModel, Scenario, ScenarioDevice } from "../nvidia-smi/scenario.ts";
import { seededRandom } from "../nvidia-smi/seeded-random.ts";
import type { EngineRailOptions, RailDevice } from "./rail-options.ts";

const SENSOR_NOISE_W = 0.05;

/** Real boxes read one GPU after the other, and print each as they have it. */
const SEVERAL_GPUS_TIMING = { perDeviceMs: 15, perTickFlush: false } as const;

/**
 * The GPUs of a box, in the order of their indices.
 *
 * @throws {JoulemarkError} `bad_option` for a name that does not say SIMULATED, a box that is too
 *   small or a tenant without a GPU.
 */
export function railDevices(options: EngineRailOptions): RailDevice[] {
  const { power, seed, firstIndex = 0, tenants = [] } = options;
  const endIndex = firstIndex + power.gpuCount;
  const { boxGpuCount = endIndex } = options;
  // What only pretends to be a GPU must never be taken for one.
  if (!power.gpuName.startsWith("SIMULATED")) refuse(`"${power.gpuName}" is to begin SIMULATED`);
  if (boxGpuCount < endIndex) {
    refuse(
      `${power.gpuCount} GPUs from index ${firstIndex} do not fit into a box of ${boxGpuCount}`,
    );
  }
  const homeless = tenants.find(({ index }) => index >= boxGpuCount);
  if (homeless) refuse(`the tenant's GPU ${homeless.index} is not in a box of ${boxGpuCount}`);
  const random = seededRandom(seed);
  return Array.from({ length: boxGpuCount }, (_, index) => ({
    index,
    uuid: uuidFrom(random),
    name: power.gpuName,
    serves: index >= firstIndex && index < endIndex,
  }));
}

/** The name of the file that a serving GPU's power is read from, beside the scenario. */
export function stepsFileName(index: number): string {
  return `gpu-${index}.jsonl`;
}

/** What the stand-in `nvidia-smi` of a box is to be. */
export function railScenario(
  options: EngineRailOptions,
  devices: readonly RailDevice[],
  limitW: number,
): Scenario {
  const { faults, timing, logFile, seed } = options;
  return {
    ...DRIVER_BY_AGE[options.driver ?? "new"],
    devices: devices.map((device) => scenarioDevice(options, device, limitW)),
    computeApps: computeApps(options, devices),
    timing: { seed, ...(devices.length > 1 && SEVERAL_GPUS_TIMING), ...timing },
    ...(faults && { faults }),
    ...(logFile !== undefined && { logFile }),
  };
}

function scenarioDevice(
  options: EngineRailOptions,
  { serves, ...device }: RailDevice,
  limitW: number,
): ScenarioDevice {
  const { power, originNs, tenants = [], migMode = "Disabled" } = options;
  const { idleW } = power;
  const noiseW = options.sensorNoiseW ?? SENSOR_NOISE_W;
  const model: PowerModel = serves
    ? { kind: "steps-file", path: stepsFileName(device.index), idleW, noiseW }
    : { kind: "steps", steps: [{ atMs: 0, powerW: idleW }], noiseW };
  return {
    ...device,
    ...SENSOR_BY_GENERATION[power.generation],
    powerLimitW: limitW,
    migMode,
    power: model,
    tenants: tenants
      .filter(({ index }) => index === device.index)
      .map(({ load, pid }) => ({ load, pid, originNs: String(originNs) })),
  };
}

function computeApps(options: EngineRailOptions, devices: readonly RailDevice[]): ComputeApp[] {
  const { pid = process.pid, tenants = [] } = options;
  const serving = devices.filter(({ serves }) => serves);
  return [
    ...serving.map(({ uuid }) => ({ gpuUuid: uuid, pid, processName: process.execPath })),
    ...tenants.map(({ index, pid, processName = "/usr/bin/tenant" }) => ({
      gpuUuid: devices[index]!.uuid,
      pid,
      processName,
    })),
  ];
}

function uuidFrom(random: () => number): string {
  const hex = (digits: number) =>
    Math.floor(random() * 16 ** digits)
      .toString(16)
      .padStart(digits, "0");
  return `GPU-${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(8)}${hex(4)}`;
}

function refuse(problem: string): never {
  throw new JoulemarkError("bad_option", `simulated GPUs: ${problem}`);
}
