import { JoulemarkError } from "../errors.ts";
import { deviceLabel } from "./judge-window.ts";
import type { RailDevice } from "./source.ts";

/** What readings are multiplied with: one factor for all devices, or one by index or uuid. */
export type RailGain = number | Readonly<Record<string, number>>;

/** A card is off by some per cent; a factor outside of these is a slip. */
export const LEAST_GAIN = 0.5;
export const MOST_GAIN = 2;

/** Whether a factor can be one of a calibration. */
export function isGain(factor: number): boolean {
  return factor > LEAST_GAIN && factor < MOST_GAIN;
}

/**
 * Devices with the factor of each, where it was given one.
 *
 * @param there - all devices that the source has: a factor may be that of one which is not read.
 * @throws {JoulemarkError} `bad_option` for a device that is not there or is named twice, with a
 *   list of what there is, and for a factor that cannot be.
 */
export function withGain(
  devices: readonly RailDevice[],
  gain: RailGain | undefined,
  there: readonly RailDevice[] = devices,
): readonly RailDevice[] {
  if (gain === undefined) return devices;
  const factors = typeof gain === "number" ? [gain] : Object.values(gain);
  const wrong = factors.find((factor) => !isGain(factor));
  if (wrong !== undefined)
    throw new JoulemarkError(
      "bad_option",
      `a gain of ${wrong} cannot be: give one above ${LEAST_GAIN} and below ${MOST_GAIN}, such as 1.047`,
    );
  if (typeof gain === "number") return devices.map((device) => ({ ...device, gain }));
  const byId = new Map<string, number>();
  for (const [name, factor] of Object.entries(gain)) {
    const device = there.find(({ id, index }) => id === name || String(index) === name);
    if (device === undefined) throw notThere(name, there);
    if (byId.has(device.id))
      throw new JoulemarkError(
        "bad_option",
        `two gains for ${deviceLabel(device)}: name it by its index or by its uuid, once`,
      );
    byId.set(device.id, factor);
  }
  return devices.map((device) => {
    const factor = byId.get(device.id);
    return factor === undefined ? device : { ...device, gain: factor };
  });
}

/** The factor that all devices have in common; absent where there is none. */
export function commonGain(devices: readonly RailDevice[]): number | undefined {
  const gain = devices[0]?.gain;
  return devices.every((device) => device.gain === gain) ? gain : undefined;
}

/** Which gain was applied, in words for people; absent where none was. */
export function gainWords(devices: readonly RailDevice[]): string | undefined {
  const common = commonGain(devices);
  if (common !== undefined) return `readings × ${common} (--rail-gain)`;
  const own = devices.filter(({ gain }) => gain !== undefined);
  if (own.length === 0) return undefined;
  const each = own.map((device) => `× ${device.gain} on GPU ${device.index ?? device.id}`);
  return `readings ${each.join(", ")} (--rail-gain)`;
}

function notThere(name: string, there: readonly RailDevice[]): JoulemarkError {
  const verb = there.length === 1 ? "is" : "are";
  const all = there.map((device) => `${deviceLabel(device)} ${device.id}`).join(", ");
  return new JoulemarkError(
    "bad_option",
    `a gain for GPU ${name}, which is not there; there ${verb} ${all}`,
  );
}
