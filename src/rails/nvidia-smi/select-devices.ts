import { JoulemarkError } from "../../errors.ts";
import { deviceLabel } from "../judge-window.ts";
import type { RailDevice } from "../source.ts";

/**
 * The devices that were asked for, by index or uuid, in the source's order.
 *
 * @param wanted - all of them when absent.
 * @throws {JoulemarkError} `bad_option` that names what is not there and lists what is.
 */
export function selectDevices(
  devices: readonly RailDevice[],
  wanted: readonly string[] | undefined,
): readonly RailDevice[] {
  if (wanted === undefined) return devices;
  const isWanted = (device: RailDevice): boolean =>
    wanted.includes(device.id) || wanted.includes(String(device.index));
  const unknown = wanted.filter(
    (one) => !devices.some(({ id, index }) => id === one || String(index) === one),
  );
  if (unknown.length > 0 || wanted.length === 0)
    throw new JoulemarkError(
      "bad_option",
      `no such GPU: ${unknown.join(", ") || "none was named"}; there ${devices.length === 1 ? "is" : "are"} ${devices.map((device) => `${deviceLabel(device)} ${device.id}`).join(", ")}`,
    );
  return devices.filter(isWanted);
}
