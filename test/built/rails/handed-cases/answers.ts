import { columnOf } from "./captures.ts";

/** What a line of a capture says; a flag that is absent was not told. */
export interface Reading {
  readonly powerW: number;
  readonly swPowerCap?: boolean;
  readonly hwPowerBrake?: boolean;
  /** `power.draw.instant`, where the capture has it behind another power field. */
  readonly instantW?: number;
}

/** The right answer to a line of data: a reading, or none at all. */
export type Answer = Reading | "reject";

/** Without the flags. */
const bare = (powerW: number, instantW?: number): Reading => ({
  powerW,
  ...(instantW === undefined ? {} : { instantW }),
});

/** Neither capped nor braked. */
const calm = (powerW: number, instantW?: number): Reading => ({
  ...bare(powerW, instantW),
  swPowerCap: false,
  hwPowerBrake: false,
});

const capped = (powerW: number, instantW?: number): Reading => ({
  ...calm(powerW, instantW),
  swPowerCap: true,
});

/** A recording without flags, whose cells are all numbers. */
function recorded(file: string): readonly Reading[] {
  const instantW = columnOf(file, "power.draw.instant [W]").map(Number);
  const hasInstant = instantW.some((watts) => watts > 0);
  return columnOf(file, "power.draw [W]").map((cell, i) =>
    bare(Number(cell), hasInstant ? instantW[i] : undefined),
  );
}

/** The recordings of `-lms` loops, with how many rows of each were kept. */
export const RECORDINGS: Readonly<Record<string, number>> = {
  "nvidia-smi-rtx3090-driver535-lms5-raw.csv": 40,
  "nvidia-smi-rtx3090-driver535-step-250ms.csv": 64,
  "nvidia-smi-a100-no-average-step-250ms.csv": 40,
  "nvidia-smi-v100-no-average-lms5-raw.csv": 30,
  "nvidia-smi-rtx4090-powerdraw-only-lms5-raw.csv": 20,
  "nvidia-smi-a5000-lms5-raw.csv": 20,
  "nvidia-smi-k40m-powerdraw-only-lms5-raw.csv": 15,
};

/** The right answer to every line of data of every capture in CSV, as its first power field says. */
export const ANSWERS: Readonly<Record<string, readonly Answer[]>> = {
  "nvidia-smi-h200-driver590-rail-noheader.csv": [calm(77.71), calm(627.4)],
  "nvidia-smi-h200-driver590-wide-withunits.csv": [calm(77.71, 78.21), calm(627.4, 626.26)],
  "nvidia-smi-h200-mig-driver590-rail-noheader.csv": [calm(78.28), calm(295.01)],
  "nvidia-smi-h100-driver590-rail-noheader.csv": [calm(69.85), calm(631.95)],
  "nvidia-smi-h100-mig-driver590-rail-noheader.csv": [calm(71.15), calm(433.78)],
  // 3 % between the two fields of one row is normal.
  "nvidia-smi-h100-mig-driver590-wide-withunits.csv": [calm(71.15, 70.72), calm(433.78, 447.35)],
  "nvidia-smi-l40s-driver595-rail-noheader.csv": [calm(144.97), calm(110.23)],
  "nvidia-smi-l40s-driver595-wide-withunits.csv": [calm(144.97, 127.67), calm(110.23, 112.38)],
  "nvidia-smi-rtx4080s-driver595-rail-noheader.csv": [calm(26.2), calm(84.24)],
  "nvidia-smi-rtx2080s-driver595-rail-average-na.csv": ["reject", "reject"],
  "nvidia-smi-rtx2080s-driver595-fallback-powerdraw.csv": [capped(39.32), calm(111.5)],
  "nvidia-smi-rtx2080s-driver595-wide-withunits.csv": [capped(39.32, 39.32), calm(111.5, 111.5)],
  "nvidia-smi-rtx2080s-driver610-rail-average-na.csv": ["reject", "reject"],
  "nvidia-smi-rtx2080s-windows-driver591-rail-average-na-crlf.csv": ["reject", "reject"],
  "nvidia-smi-rtx3090-wsl2-driver591-power-columns.csv": [bare(16.03, 16.49)],
  "nvidia-smi-rtx4060-laptop-driver572-rail-average-na.csv": ["reject"],
  "nvidia-smi-gb10-driver580-rail-flags.csv": [
    { powerW: 4.76, swPowerCap: false, hwPowerBrake: true },
    "reject",
    bare(61.2),
  ],
  "nvidia-smi-gb10-temp-power-clocks.csv": [bare(4.44)],
  "nvidia-smi-gb200-driver570-l1-withheader.csv": [518.42, 523.85, 481.5, 486.49, 517.58].map(
    (powerW) => calm(powerW),
  ),
  "nvidia-smi-gb200-rail-4gpu-tick-noheader.csv": [523.85, 481.5, 486.49, 517.58].map((powerW) =>
    calm(powerW),
  ),
  "nvidia-smi-b200-l1-withunits.csv": [bare(380.42), bare(336.61), bare(337.18)],
  "nvidia-smi-gtx1650-flags-nounits.csv": [calm(15.63)],
  "nvidia-smi-rtx4090-windows-crlf.csv": [calm(120.5)],
  // Above its limit of 210 W, and right all the same.
  "nvidia-smi-rtx2080ti-driver442-unknown-error.csv": [bare(228.82)],
  "nvidia-smi-gtx1080ti-8gpu-unknown-error-withunits.csv": [
    ...[123, 242.05, 266.25, 257.66, 239.59, 294.91, 267.73, 181.22].map((powerW) => bare(powerW)),
  ],
  "nvidia-smi-rtx3080-many-na.csv": ["reject"],
  "nvidia-smi-legacy-not-supported.csv": ["reject"],
  "nvidia-smi-insufficient-permissions.csv": ["reject"],
  "nvidia-smi-gpu-requires-reset.csv": ["reject"],
  "nvidia-smi-gpu-is-lost-midstream.csv": [capped(297.84), capped(298.91), "reject", "reject"],
  ...Object.fromEntries(Object.keys(RECORDINGS).map((file) => [file, recorded(file)])),
  "nvidia-smi-frozen-sensor-unknown-error.csv": Array.from({ length: 15 }, () => bare(46.19)),
  "nvidia-smi-stream-truncated-tail.csv": [calm(627.4), calm(626.88), "reject"],
  "nvidia-smi-stream-concatenated-row.csv": [bare(627.4), "reject"],
  "nvidia-smi-stream-header-repeated-blank-lines.csv": [calm(84.24), calm(86.1)],
  "nvidia-smi-stream-mixed-two-gpus-one-na.csv": [calm(80.5), "reject", calm(81.12), "reject"],
};
