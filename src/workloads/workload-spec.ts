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

/** The workload that a spec describes. */
export function openWorkload(spec: WorkloadSpec): Workload {
  if (spec.kind === "synthetic") return syntheticWorkload(spec);
  if (spec.kind === "code") return codePromptWorkload(spec.endpoint, spec.outputTokens);
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
