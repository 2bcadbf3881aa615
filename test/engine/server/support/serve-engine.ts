import { onTestFinished } from "vitest";
import type { EngineOptions } from "../../../../src/engine/engine-options.ts";
import {
  type EngineServer,
  startEngineServer,
} from "../../../../src/engine/server/engine-server.ts";
import { eventually } from "../../../support/eventually.ts";

/** An engine in this process, with steps of a few ms, until the test ends. */
export async function serveEngine(options: EngineOptions = {}): Promise<EngineServer> {
  const server = await startEngineServer({ profile: "tiny", truth: true, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** Until the engine works for nobody any more. */
export async function untilIdle(server: EngineServer): Promise<void> {
  await eventually("the engine has nothing to do", () => {
    const { running, waiting, kvTokens } = server.status().counts;
    return running + waiting + kvTokens === 0;
  });
}

/** A reply of the old endpoint, or an error. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: AnswerJson;
}

/** What tests look at. */
export interface AnswerJson {
  readonly choices: readonly {
    readonly index: number;
    readonly text: string;
    readonly finish_reason: string | null;
  }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
  readonly timings: Readonly<Record<string, number>>;
  readonly error?: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** Asks the old endpoint; `body` may also be bytes that are no JSON. */
export async function complete(
  { url }: { readonly url: string },
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(`${url}/v1/completions`, {
    method: "POST",
    headers,
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const json = (await response.json()) as AnswerJson;
  return { status: response.status, headers: response.headers, json };
}
