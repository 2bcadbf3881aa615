import type { WorkloadRequest } from "../workloads/workload.ts";

/** What a benchmark adds to every request of a workload. */
export interface RequestSettings {
  readonly model?: string;
  /** Sampling and whatever else goes into every body; nothing of the workload is overwritten. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** Asks for exactly the workload's output length, where the server takes such fields. */
  readonly hasFixedLength?: boolean;
  /** Asks for the usage of the reply; default true. */
  readonly includeUsage?: boolean;
}

/** The body of one request, without `stream`, which the sending adds. */
export function requestBody(request: WorkloadRequest, settings: RequestSettings): object {
  const { model, fields, hasFixedLength } = settings;
  const { outputTokens } = request;
  return {
    ...(model === undefined ? {} : { model }),
    ...fields,
    ...request.body,
    ...(outputTokens === undefined ? {} : { max_tokens: outputTokens }),
    ...(hasFixedLength && outputTokens !== undefined
      ? { min_tokens: outputTokens, ignore_eos: true }
      : {}),
  };
}
