import { findLocality, type Locality } from "../target/locality.ts";

/** The endpoint that is loaded: its address, or something that holds it. */
export type MeterTarget = string | URL | { readonly baseUrl: string | URL };

/** Where the target is served, or why this machine's rail is not the target's. */
export type TargetPlace =
  | { readonly state: "here"; readonly locality?: Locality }
  | { readonly state: "elsewhere"; readonly level: "info" | "warn"; readonly why: string };

/**
 * Whether the rail of this machine is the rail of the target.
 *
 * @param target - without one this machine itself is meant.
 * @param isLocal - overrides what is found.
 */
export async function placeOfTarget(
  target: MeterTarget | undefined,
  isLocal: boolean | undefined,
  signal: AbortSignal | undefined,
): Promise<TargetPlace> {
  if (isLocal === false)
    return {
      state: "elsewhere",
      level: "info",
      why: "the target runs elsewhere, by --rail-local no",
    };
  if (target === undefined) return { state: "here" };
  const locality = await findLocality(addressOf(target), signal === undefined ? {} : { signal });
  signal?.throwIfAborted();
  if (isLocal === true || locality.state === "local") return { state: "here", locality };
  if (locality.state === "unknown") {
    const why = `it cannot be told whether the target is on this machine (${locality.why}); --rail-local yes says that it is`;
    return { state: "elsewhere", level: "warn", why };
  }
  const why = `the target is on another machine (${locality.how}), whose rail is not read here`;
  return { state: "elsewhere", level: "info", why };
}

function addressOf(target: MeterTarget): string | URL {
  return typeof target === "string" || target instanceof URL ? target : target.baseUrl;
}
