import type { Sensor } from "../../energy/sensor.ts";

/** What a power field of a GPU measures, and what that statement rests on. */
export interface SensorFacts {
  readonly sensor: Sensor;
  readonly basis: string;
  /** Why a reading is no plain mean of some time, so that no estimate can be made of it. */
  readonly unmodelled?: string;
}

const MEASURED = "measured on cards of this generation (arXiv 2312.02741)";
const DOCUMENTED = "documented by nvidia-smi, not characterised for this generation";
const ASSUMED = "assumed: the generation is not known";
const SIMULATED = "simulated";

/** Averaging time of each field in ms, and how often the sensor renews it. */
interface Generation {
  readonly names: RegExp;
  readonly averageMs: number;
  readonly instantMs: number;
  readonly drawMs: (driver: number) => number;
  readonly updateMs: number;
  readonly basis: string;
  readonly unmodelled?: string;
}

const CAPACITOR =
  "on Maxwell and Kepler a reading creeps to a new level as a capacitor charges (arXiv 2312.02741), so it is the mean of no definite time";
const ACTIVITY =
  "on Fermi a reading is reckoned from what the GPU does, and no power is measured (arXiv 2312.02741)";

/** One driver branch, 530, showed 100 ms; the ones before and after it a second. */
const drawOfConsumer = (driver: number): number => (driver === 530 ? 100 : 1000);

/** The first that matches the product's name counts. Sources: docs/rails.md. */
const GENERATIONS: readonly Generation[] = [
  generation(/\b(GB\d{2,3}|B[123]00|RTX PRO|RTX 50\d\d)\b/, {
    averageMs: 1000,
    instantMs: 100,
    drawMs: 1000,
    basis: DOCUMENTED,
  }),
  generation(/\b(G?H[128]00|H20)\b/, { averageMs: 1000, instantMs: 25, drawMs: 1000 }),
  generation(/\b(A100|A800|A30)\b/, { averageMs: 1000, instantMs: 25, drawMs: 25 }),
  // Before Ada: a Quadro RTX 4000 is none of its RTX 40.
  generation(/\bQuadro RTX 8000\b/i, { averageMs: 1000, instantMs: 20, drawMs: 20 }),
  generation(/\b(T4G?|RTX 20\d\d|GTX 16\d\d|Quadro RTX \d000|TITAN RTX)\b/i, {
    averageMs: 1000,
    instantMs: 100,
    drawMs: 100,
  }),
  {
    ...generation(/\b(L4|L40S?|L20|RTX 40\d\d|RTX \d000 Ada)\b/, {
      averageMs: 1000,
      instantMs: 100,
      drawMs: 1000,
    }),
    drawMs: drawOfConsumer,
  },
  {
    ...generation(/\b(RTX 30\d\d|A[2456]0{0,3}|A10G?|A16|A40|RTX A\d{3,4})\b/, {
      averageMs: 1000,
      instantMs: 100,
      drawMs: 1000,
    }),
    drawMs: drawOfConsumer,
  },
  unmodelled(
    /\b(GTX TITAN|TITAN (Black|Z)|GTX [679]\d\d|M(4|6|10|40|60)|K(8|10|20X?m?|40[cmst]?|80)|Quadro [MK]\d{3,4}M?)\b/i,
    CAPACITOR,
  ),
  unmodelled(/\b(GTX [45]\d\d|[MC]20[5-9]\d|Quadro [456]000)\b/i, ACTIVITY),
  generation(/\b(V100S?|GV100|GP100|P100|P40|P4|P6|GTX 10\d\d|Quadro P\d{3,4}|TITAN [VX]p?)\b/i, {
    averageMs: 1000,
    instantMs: 10,
    drawMs: 10,
    updateMs: 20,
  }),
];

const UNKNOWN = generation(/^/, { averageMs: 1000, instantMs: 100, drawMs: 1000, basis: ASSUMED });

/**
 * What a reading stands for.
 *
 * @param name - the product's name as nvidia-smi says it; `undefined` when it did not. One that
 *   pretends to be a GPU says so first, and has the sensor of the GPU that it names.
 * @param driverVersion - such as `535.54.03`.
 * @param field - `power.draw.average`, `power.draw.instant` or `power.draw`.
 */
export function sensorFacts(
  name: string | undefined,
  driverVersion: string | undefined,
  field: string,
): SensorFacts {
  const found = GENERATIONS.find(({ names }) => name !== undefined && names.test(name)) ?? UNKNOWN;
  const averagingMs = averagingOf(found, field, Number.parseInt(driverVersion ?? "", 10));
  return {
    sensor: {
      averagingMs,
      updateMs: found.updateMs,
      kind: averagingMs >= 500 ? "average" : "instant",
    },
    basis: name?.startsWith("SIMULATED") ? SIMULATED : found.basis,
    ...(found.unmodelled === undefined ? {} : { unmodelled: found.unmodelled }),
  };
}

function averagingOf(found: Generation, field: string, driver: number): number {
  if (field === "power.draw.average") return found.averageMs;
  if (field === "power.draw.instant") return found.instantMs;
  return found.drawMs(driver);
}

function generation(
  names: RegExp,
  ms: { averageMs: number; instantMs: number; drawMs: number; updateMs?: number; basis?: string },
): Generation {
  return {
    names,
    averageMs: ms.averageMs,
    instantMs: ms.instantMs,
    drawMs: () => ms.drawMs,
    updateMs: ms.updateMs ?? 100,
    basis: ms.basis ?? MEASURED,
  };
}

/** Only the settle time is of use: a reading has come to its level a second after a change. */
function unmodelled(names: RegExp, why: string): Generation {
  return {
    ...generation(names, { averageMs: 1000, instantMs: 1000, drawMs: 1000 }),
    unmodelled: why,
  };
}
