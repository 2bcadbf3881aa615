import { pciBusId } from "./device-cells.ts";
import { SmiRefusal } from "./refusal.ts";
import type { ScenarioDevice } from "./scenario.ts";

/**
 * The devices that `-i` names by index, uuid or bus id, in enumeration order; all without `-i`.
 *
 * @throws {SmiRefusal} exit 6, when there is none or one is not there.
 */
export function chooseDevices(
  devices: readonly ScenarioDevice[],
  ids: readonly string[] | undefined,
): readonly ScenarioDevice[] {
  const isNamed = (device: ScenarioDevice, id: string) =>
    id === String(device.index) || id === device.uuid || isSameBusId(id, pciBusId(device));
  const isMissing = (id: string) => !devices.some((device) => isNamed(device, id));
  if (devices.length === 0 || ids?.some(isMissing)) {
    throw new SmiRefusal(6, "No devices were found\n");
  }
  return ids ? devices.filter((device) => ids.some((id) => isNamed(device, id))) : devices;
}

/** Bus ids are hexadecimal, written in either case. */
export function isSameBusId(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}
