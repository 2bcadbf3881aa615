import type { Sensor } from "../../energy/sensor.ts";

/** What a power field of a GPU measures, and what that statement rests on. */
export interface SensorFacts {
  readonly sensor: Sensor;
  readonly basis: string;
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
}

/** The first that matches the product's name counts. Sources: docs/rails.md. */
const GENERATIONS: readonly Generation[] = [
  generation(/^SIMULATED/, { averageMs: 1000, instantMs: 100, drawMs: 1000, basis: SIMULATED }),
  generation(/\b(GB\d{2,3}|B[123]00|RTX PRO|RTX 50\d\d)\b/, {
    averageMs: 1000,
    instantMs: 100,
    drawMs: 1000,
    basis: DOCUMENTED,
  }),
  generation(/\b(G?H[128]00|H20)\b/, { averageMs: 1000, instantMs: 25, drawMs: 1000 }),
  generation(/\b(A100|A800|A30)\b/, { averageMs: 1000, instantMs: 25, drawMs: 25 }),
  generation(/\b(L4|L40S?|L20|RTX 40\d\d|RTX \d000 Ada)\b/, {
    averageMs: 1000,
    instantMs: 100,
    drawMs: 1000,
  }),
  {
    ...generation(/\b(RTX 30\d\d|A[2456]0{0,3}|A10G?|A16|A40|RTX A\d{3,4})\b/, {
      averageMs: 1000,
      instantMs: 100,
      drawMs: 1000,
    }),
    // One driver branch, 530, showed 100 ms; the ones before and after it a second.
    drawMs: (driver) => (driver === 530 ? 100 : 1000),
  },
  generation(/\b(T4G?|RTX 20\d\d|GTX 16\d\d|Quadro RTX \d000|TITAN RTX)\b/i, {
    averageMs: 1000,
    instantMs: 100,
    drawMs: 100,
  }),
  generation(/\b(V100S?|P100|P40|P4|GTX 10\d\d|TITAN [VX]p?)\b/i, {
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
 * @param name - the product's name as nvidia-smi says it; `undefined` when it did not.
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
    basis: found.basis,
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
