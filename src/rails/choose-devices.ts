import type { Locality } from "../target/locality.ts";
import { computeApps } from "./nvidia-smi/compute-apps.ts";
import type { OneShotOptions } from "./nvidia-smi/one-shot.ts";
import { type ComputeApp, findServingDevices, type ServingEndpoint } from "./serving.ts";
import type { RailDevice } from "./source.ts";

/** Which devices to read, and what must be said about that choice. */
export interface ChosenDevices {
  /** Absent: all that there are. */
  readonly devices?: readonly string[];
  /** How they were found, in words; absent when they were not looked for. */
  readonly how?: string;
  /** What to warn of, once it is known which devices the rail has. */
  readonly warningsFor: (devices: readonly RailDevice[]) => readonly string[];
}

/**
 * The devices that the user named, else those on which the serving process computes, else all.
 *
 * @param locality - where the target is served; absent when a command is measured, not a server.
 */
export async function chooseDevices(
  named: readonly string[] | undefined,
  locality: Locality | undefined,
  options: OneShotOptions,
): Promise<ChosenDevices> {
  if (named !== undefined) return { devices: named, warningsFor: () => [] };
  const endpoint = endpointOf(locality);
  if (endpoint === undefined) return allOf("which of them work is not known");

  // A nvidia-smi that cannot be asked is told of when the rail is opened.
  const apps = await computeApps(options).catch(() => undefined);
  options.signal?.throwIfAborted();
  if (apps === undefined) return allOf("the driver could not be asked who computes");
  const serving = await findServingDevices({ ...endpoint, computeApps: apps });
  if (serving.state === "unknown") return allOf(serving.why, apps);
  const { deviceUuids, foreignPids, how } = serving;
  const foreign = `other processes hold the serving GPUs too (pid ${foreignPids.join(", ")}): if they work, their energy is in the number`;
  return {
    devices: deviceUuids,
    how,
    warningsFor: () => (foreignPids.length > 0 ? [foreign] : []),
  };
}

function allOf(why: string, apps: readonly ComputeApp[] = []): ChosenDevices {
  return {
    warningsFor: (devices) =>
      devices.length < 2
        ? holdersOfOnly(why, apps)
        : [
            `all ${devices.length} GPUs are counted, idle ones too (${why}); --rail-devices ${devices[0]?.index ?? 0} counts the named ones alone`,
          ],
  };
}

/** Who computes on the only GPU there is: it may be the server behind a proxy, or a stranger. */
function holdersOfOnly(why: string, apps: readonly ComputeApp[]): readonly string[] {
  const pids = [...new Set(apps.map(({ pid }) => pid))];
  if (pids.length === 0) return [];
  const held =
    pids.length === 1 ? "holds this GPU: what it takes" : "hold this GPU: what they take";
  return [
    `which process serves is not known (${why}), and pid ${pids.join(", ")} ${held} is in the number`,
  ];
}

/** Where the server listens; absent where that is not known, or a command is measured. */
export function endpointOf(locality: Locality | undefined): ServingEndpoint | undefined {
  if (locality === undefined || locality.state === "unknown") return undefined;
  return locality.port === undefined
    ? { socketPath: locality.address }
    : { port: locality.port, address: locality.address };
}
