import { basename } from "node:path";
import { DatasetError } from "./dataset-error.ts";
import type { DatasetEntry } from "./parse-entry.ts";
import type { Dataset } from "./read-dataset.ts";
import { type Endpoint, type PromptBody, promptBody, type Workload } from "./workload.ts";

export interface DatasetWorkloadOptions {
  readonly endpoint: Endpoint;
  /** For entries that do not say themselves how much they want. */
  readonly outputTokens?: number;
}

/**
 * The entries of a data set in the order of its file, over and over.
 *
 * @throws {DatasetError} when an entry is a chat and the endpoint takes only plain prompts.
 */
export function datasetWorkload(
  dataset: Dataset,
  { endpoint, outputTokens }: DatasetWorkloadOptions,
): Workload {
  const bodies = dataset.entries.map((entry) => {
    const body = bodyFor(entry, endpoint);
    if (body !== undefined) return body;
    throw new DatasetError({
      file: dataset.file,
      why: "it holds chats of several messages, which a completions endpoint does not take",
      remedy: "use --endpoint chat, or entries with a prompt",
    });
  });
  return {
    name: `dataset ${basename(dataset.file)}`,
    distinctRequests: bodies.length,
    requestAt: (index) => {
      const place = index % bodies.length;
      const wanted = dataset.entries[place]!.outputTokens ?? outputTokens;
      return { body: bodies[place]!, ...(wanted === undefined ? {} : { outputTokens: wanted }) };
    },
  };
}

function bodyFor({ body }: DatasetEntry, endpoint: Endpoint): PromptBody | undefined {
  if ("prompt" in body) return promptBody(body.prompt, endpoint);
  if (endpoint === "chat") return body;
  const [only, ...others] = body.messages;
  const isPlain = others.length === 0 && typeof only?.content === "string";
  return isPlain ? { prompt: only.content as string } : undefined;
}
