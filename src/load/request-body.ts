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

const INCLUDE_USAGE = { include_usage: true };

/** The body of one request, whole: a body that lacks nothing is not copied when it is sent. */
export function requestBody(request: WorkloadRequest, settings: RequestSettings): object {
  const { model, fields, hasFixedLength, includeUsage = true } = settings;
  const { outputTokens } = request;
  const body: Record<string, unknown> = { model, stream: true };
  if (includeUsage) body["stream_options"] = INCLUDE_USAGE;
  Object.assign(body, fields, request.body);
  if (outputTokens === undefined) return body;
  body["max_tokens"] = outputTokens;
  if (hasFixedLength) {
    body["min_tokens"] = outputTokens;
    body["ignore_eos"] = true;
  }
  return body;
}
