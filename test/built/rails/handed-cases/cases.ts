import type { EnergyWindow, RailFacts } from "joulemark";
import type {
  Playback,
  Scenario,
  ScenarioDevice,
} from "../../../../src/engine/nvidia-smi/scenario.ts";
import { gpu } from "../../../support/scenarios.ts";
import { AVERAGE, DRAW, INSTANT } from "./captures.ts";

/** A capture that gives readings: which ones, ANSWERS says. */
export interface ReadableCase {
  readonly kind: "readable";
  readonly file: string;
  /** The power field on which the ladder ends. */
  readonly field: typeof AVERAGE | typeof INSTANT | typeof DRAW;
  readonly devices?: readonly ScenarioDevice[];
  readonly driverVersion?: string;
  readonly play?: Partial<Playback>;
  /** Whether its driver refuses what was not captured; else it says `[N/A]` to that. */
  readonly isOld?: boolean;
  /** Indexes of the GPUs in the order of their readings; default always 0. */
  readonly gpus?: readonly number[];
  /** Lines that are rejected; default as many as ANSWERS says. */
  readonly rejected?: number;
  /** What the rail knows besides. */
  readonly facts?: Partial<RailFacts>;
  /** The plain integral over all readings; `undefined` for what must be absent. */
  readonly window?: { readonly [K in keyof EnergyWindow]?: EnergyWindow[K] | undefined };
  /** Reasons why a window from the first reading to after the last one has no figure. */
  readonly reasons?: readonly string[];
}

/** A capture on which no rail opens. */
export interface UnreadableCase {
  readonly kind: "unreadable";
  readonly file: string;
  readonly devices?: readonly ScenarioDevice[];
  readonly driverVersion?: string;
  readonly play?: Partial<Playback>;
  /** Parts of the message. */
  readonly says: readonly string[];
}

/** An error that is the whole output, whatever is asked. */
export interface ErrorCase {
  readonly kind: "error";
  readonly file: string;
  readonly exitCode: number;
  readonly remedy: string;
}

/** The text of `nvidia-smi -q`: no answer to a query, but it tells the cells of one. */
export interface ReportCase {
  readonly kind: "report";
  readonly file: string;
  readonly name: string;
  readonly field: ReadableCase["field"];
  readonly powerW: number;
  readonly instantW?: number;
}

export type HandedCase = ReadableCase | UnreadableCase | ErrorCase | ReportCase;

const h200 = { name: "NVIDIA H200" };
const l40s = { name: "NVIDIA L40S" };
const turing = { name: "NVIDIA GeForce RTX 2080 SUPER" };
const split = { migMode: "Enabled" } as const;

/** Every capture of nvidia-smi; one that teaches two things stands here twice. */
export const CASES: readonly HandedCase[] = [
  ...readable(AVERAGE, [
    { file: "nvidia-smi-h200-driver590-rail-noheader.csv", devices: [gpu(0, h200)] },
    {
      file: "nvidia-smi-h200-driver590-wide-withunits.csv",
      devices: [gpu(0, { ...h200, powerLimitW: 1 })],
      driverVersion: "590.48.01",
      // The deprecated cell beside them is never asked for.
      facts: {
        driverVersion: "590.48.01",
        devices: [{ id: "GPU-00000000", index: 0, name: "NVIDIA H200", powerLimitW: 700 }],
        warnings: [],
      },
      window: { samples: 2, maxPowerW: 627.4, swPowerCapFrac: 0, hwPowerBrakeFrac: 0 },
    },
    {
      // The watts are those of the whole GPU, although it is split.
      file: "nvidia-smi-h200-mig-driver590-rail-noheader.csv",
      devices: [gpu(0, { ...h200, ...split })],
      reasons: ["rail_not_attributable"],
    },
    { file: "nvidia-smi-h100-driver590-rail-noheader.csv" },
    {
      file: "nvidia-smi-h100-mig-driver590-rail-noheader.csv",
      devices: [gpu(0, split)],
      reasons: ["rail_not_attributable"],
    },
    // Here the capture says by itself that the GPU is split.
    {
      file: "nvidia-smi-h100-mig-driver590-wide-withunits.csv",
      window: { maxPowerW: 433.78 },
      reasons: ["rail_not_attributable"],
    },
    // The second reading, under load, is the lower one: the load was light.
    { file: "nvidia-smi-l40s-driver595-rail-noheader.csv", devices: [gpu(0, l40s)] },
    {
      file: "nvidia-smi-l40s-driver595-wide-withunits.csv",
      devices: [gpu(0, l40s)],
      window: { swPowerCapFrac: 0, hwPowerBrakeFrac: 0 },
      reasons: ["rail_stalled"],
    },
    { file: "nvidia-smi-rtx4080s-driver595-rail-noheader.csv" },
    {
      file: "nvidia-smi-rtx3090-wsl2-driver591-power-columns.csv",
      driverVersion: "591.44",
    },
    {
      file: "nvidia-smi-gb10-driver580-rail-flags.csv",
      devices: [gpu(0, { name: "NVIDIA GB10" })],
      // Shares of the reading that told the flags: the one that did not counts as neither.
      window: { samples: 2, swPowerCapFrac: 0, hwPowerBrakeFrac: 1 },
    },
    { file: "nvidia-smi-rtx3090-driver535-lms5-raw.csv", driverVersion: "535.54.03" },
    { file: "nvidia-smi-rtx3090-driver535-step-250ms.csv", driverVersion: "535.54.03" },
    { file: "nvidia-smi-a5000-lms5-raw.csv", devices: [gpu(0, { name: "NVIDIA RTX A5000" })] },
    {
      file: "nvidia-smi-gpu-is-lost-midstream.csv",
      window: { samples: 2, maxPowerW: 298.91, swPowerCapFrac: 1 },
      reasons: ["rail_stalled"],
    },
    // The unterminated `62` is no line yet: neither a reading nor a rejected one.
    {
      file: "nvidia-smi-stream-truncated-tail.csv",
      rejected: 0,
      window: { samples: 2, maxPowerW: 627.4 },
      reasons: ["rail_stalled"],
    },
    { file: "nvidia-smi-stream-header-repeated-blank-lines.csv", rejected: 0 },
    {
      file: "nvidia-smi-stream-mixed-two-gpus-one-na.csv",
      devices: [gpu(0), gpu(1)],
      play: { rowsPerTick: 2 },
      reasons: ["rail_no_samples", "rail_stalled", "rail_device_missing"],
      facts: {
        warnings: [
          "GPU 1 (NVIDIA H100 80GB HBM3) gives no power reading (power.draw.average [N/A]): no window of this rail can be summed; leave it out with --rail-devices",
        ],
      },
    },
  ]),

  ...readable(INSTANT, [
    // The same machine as the files whose `.average` is [N/A].
    {
      file: "nvidia-smi-rtx2080s-driver595-wide-withunits.csv",
      devices: [gpu(0, turing)],
      facts: { sensor: { averagingMs: 100, updateMs: 100, kind: "instant" } },
      window: { samples: 2, maxPowerW: 111.5, swPowerCapFrac: 0.5 },
    },
    {
      file: "nvidia-smi-a100-no-average-step-250ms.csv",
      isOld: true,
      devices: [gpu(0, { name: "NVIDIA A100-PCIE-40GB" })],
      facts: { sensor: { averagingMs: 25, updateMs: 100, kind: "instant" } },
    },
    {
      file: "nvidia-smi-v100-no-average-lms5-raw.csv",
      devices: [gpu(0, { name: "Tesla V100-PCIE-16GB" })],
      facts: { sensor: { averagingMs: 10, updateMs: 20, kind: "instant" } },
    },
  ]),

  ...readable(DRAW, [
    {
      file: "nvidia-smi-rtx2080s-driver595-fallback-powerdraw.csv",
      devices: [gpu(0, turing)],
      window: { swPowerCapFrac: 0.5, hwPowerBrakeFrac: 0 },
    },
    { file: "nvidia-smi-gb10-temp-power-clocks.csv", devices: [gpu(0, { name: "NVIDIA GB10" })] },
    {
      // Row 1 belongs to the tick before: all five rows are played as two ticks.
      file: "nvidia-smi-gb200-driver570-l1-withheader.csv",
      devices: gb200(),
      driverVersion: "570.26",
      play: { rowsPerTick: 4 },
      gpus: [3, 0, 1, 2, 3],
      window: { samples: 5, swPowerCapFrac: 0, hwPowerBrakeFrac: 0 },
    },
    {
      file: "nvidia-smi-gb200-rail-4gpu-tick-noheader.csv",
      devices: gb200(),
      play: { rowsPerTick: 4 },
      gpus: [0, 1, 2, 3],
      window: { samples: 4, maxPowerW: 2009.42, meanPowerW: 2009.42 },
    },
    {
      file: "nvidia-smi-b200-l1-withunits.csv",
      devices: [gpu(0, { name: "NVIDIA B200" })],
      window: {
        samples: 3,
        maxPowerW: 380.42,
        swPowerCapFrac: undefined,
        hwPowerBrakeFrac: undefined,
      },
    },
    {
      file: "nvidia-smi-gtx1650-flags-nounits.csv",
      facts: {
        devices: [
          { id: "GPU-00000000", index: 0, name: "NVIDIA GeForce GTX 1650", powerLimitW: 75 },
        ],
      },
    },
    {
      // The uuid is the last cell of its line: no CR may stick to it.
      file: "nvidia-smi-rtx4090-windows-crlf.csv",
      facts: {
        devices: [{ id: "GPU-abc", index: 0, name: "NVIDIA GeForce RTX 4090", powerLimitW: 320 }],
      },
    },
    {
      file: "nvidia-smi-rtx2080ti-driver442-unknown-error.csv",
      isOld: true,
      driverVersion: "442.19",
      facts: {
        driverVersion: "442.19",
        devices: [{ id: "GPU-00000000", index: 0, name: "GeForce RTX 2080 Ti", powerLimitW: 210 }],
      },
      window: { maxPowerW: 228.82 },
    },
    {
      file: "nvidia-smi-gtx1080ti-8gpu-unknown-error-withunits.csv",
      devices: Array.from({ length: 8 }, (_, index) => gpu(index)),
      play: { rowsPerTick: 8 },
      gpus: [0, 1, 2, 3, 4, 5, 6, 7],
      window: { samples: 8, maxPowerW: 1872.41 },
    },
    { file: "nvidia-smi-rtx4090-powerdraw-only-lms5-raw.csv" },
    {
      file: "nvidia-smi-k40m-powerdraw-only-lms5-raw.csv",
      isOld: true,
      devices: [gpu(0, { name: "Tesla K40m" })],
    },
    {
      file: "nvidia-smi-frozen-sensor-unknown-error.csv",
      window: { samples: 15, maxPowerW: 46.19 },
    },
    { file: "nvidia-smi-stream-concatenated-row.csv" },
  ]),

  ...[
    "nvidia-smi-rtx2080s-driver595-rail-average-na.csv",
    "nvidia-smi-rtx2080s-driver610-rail-average-na.csv",
    "nvidia-smi-rtx2080s-windows-driver591-rail-average-na-crlf.csv",
    "nvidia-smi-rtx4060-laptop-driver572-rail-average-na.csv",
  ].map((file) => unreadable(file, ["GPU 0 power.draw.average [N/A]"])),
  unreadable("nvidia-smi-rtx3080-many-na.csv", [
    "GPU 0 power.draw.average [N/A]",
    "GPU 0 power.draw.instant [N/A]",
    "GPU 0 power.draw [N/A]",
  ]),
  unreadable("nvidia-smi-legacy-not-supported.csv", ["GPU 0 power.draw [Not Supported]"]),
  unreadable("nvidia-smi-insufficient-permissions.csv", [
    "GPU 0 power.draw.average [Insufficient Permissions]",
    "ask the administrator for read access",
  ]),
  // It has no power column; asked for one, the driver says of it what it says of the others.
  unreadable("nvidia-smi-gpu-requires-reset.csv", ["the driver knows no power field"]),
  unreadable(
    "nvidia-smi-gpu-requires-reset.csv",
    ["GPU 0 power.draw [GPU requires reset]"],
    [gpu(0, { cells: { [DRAW]: "[GPU requires reset]" } })],
  ),

  {
    kind: "report",
    file: "nvidia-smi-h200-driver590-q-power-load.txt",
    name: "NVIDIA H200",
    field: AVERAGE,
    // Not with the memory's 97.69 W on top: they are inside.
    powerW: 627.32,
    instantW: 625.24,
  },
  {
    kind: "report",
    file: "nvidia-smi-rtx4060-laptop-driver572-q-power.txt",
    name: "NVIDIA GeForce RTX 4060 Laptop GPU",
    field: INSTANT,
    powerW: 2.81,
  },

  error("driver-not-communicating", 9, "load the NVIDIA driver"),
  error("wsl-driver-not-loaded", 9, "load the NVIDIA driver"),
  error("version-mismatch", 18, "reboot, or reload the module"),
  error("nvml-unknown-error", 255, "docker run --gpus all"),
  error("device-handle-gpu-lost", 15, "see dmesg for Xid errors"),
  error("device-handle-unknown-error", 15, "see dmesg for Xid errors"),
  error("no-devices", 6, "pass the GPUs into the container"),
  error("invalid-field-brake-driver550", 2, "update the NVIDIA driver"),
  error("invalid-field-average-driver525", 2, "update the NVIDIA driver"),
];

function readable(
  field: ReadableCase["field"],
  cases: readonly Omit<ReadableCase, "kind" | "field">[],
): readonly ReadableCase[] {
  return cases.map((one) => ({ kind: "readable", field, ...one }));
}

function unreadable(
  file: string,
  says: readonly string[],
  devices: readonly ScenarioDevice[] = [gpu(0)],
): UnreadableCase {
  return { kind: "unreadable", file, says, devices };
}

function error(name: string, exitCode: number, remedy: string): ErrorCase {
  return { kind: "error", file: `nvidia-smi-err-${name}.txt`, exitCode, remedy };
}

/** The four GPUs of a GB200 board, in the order of their bus ids. */
function gb200(): readonly ScenarioDevice[] {
  const busIds = ["00000008:01:00.0", "00000009:01:00.0", "00000018:01:00.0", "00000019:01:00.0"];
  return busIds.map((id, index) =>
    gpu(index, { name: "NVIDIA GB200", cells: { "pci.bus_id": id } }),
  );
}

/** The scenario's own settings of a case. */
export function driverOf({ driverVersion }: { driverVersion?: string }): Partial<Scenario> {
  return driverVersion === undefined ? {} : { driverVersion };
}
