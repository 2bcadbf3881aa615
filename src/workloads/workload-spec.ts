import { JoulemarkError } from "../errors.ts";
import {
  codePromptWorkload,
  type SyntheticWorkloadOptions,
  syntheticWorkload,
} from "./prompt-workloads.ts";
import type { Endpoint, PromptBody, Workload } from "./workload.ts";

/** A workload as plain data, so that each load thread makes the same requests by itself. */
export type WorkloadSpec =
  | ({ readonly kind: "synthetic" } & SyntheticWorkloadOptions)
  | { readonly kind: "code"; readonly endpoint: Endpoint; readonly outputTokens: number }
  | {
      /** Given bodies, over and over. */
      readonly kind: "bodies";
      readonly name: string;
      readonly bodies: readonly PromptBody[];
      readonly outputTokens?: number;
    };

/**
 * The workload that a spec describes.
 *
 * @throws {JoulemarkError} `bad_option` for one that describes none.
 */
export function openWorkload(spec: WorkloadSpec): Workload {
  if (spec.kind === "synthetic") return syntheticWorkload(spec);
  if (spec.kind === "code") return codePromptWorkload(spec.endpoint, spec.outputTokens);
  if (spec.kind !== "bodies" || spec.bodies.length === 0)
    throw new JoulemarkError(
      "bad_option",
      `a workload of kind “${spec.kind}” without a request cannot be: give synthetic, code, or bodies with at least one`,
    );
  const { name, bodies, outputTokens } = spec;
  return {
    name,
    distinctRequests: bodies.length,
    requestAt: (index) => ({
      body: bodies[index % bodies.length]!,
      ...(outputTokens === undefined ? {} : { outputTokens }),
    }),
  };
}
