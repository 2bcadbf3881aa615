import { expect } from "vitest";
import { Connections } from "../../../src/stream/connections.ts";
import type {
  ErrorOutcome,
  OkOutcome,
  RequestOutcome,
} from "../../../src/stream/request-outcome.ts";
import { type StreamRequestOptions, streamRequest } from "../../../src/stream/stream-request.ts";
import type { RequestTarget } from "../../../src/target/request-target.ts";
import { type Answer, startRawServer, type WireRequest } from "./raw-server.ts";
import { BODY, targetOf } from "./targets.ts";

/** The connections of a test file, which closes them when it is through. */
export const connections: Connections = new Connections();

/** One request to a server that answers so. */
export async function ask(
  answer: Answer,
  options: StreamRequestOptions & { body?: object; target?: (url: string) => RequestTarget } = {},
): Promise<{ outcome: RequestOutcome; requests: readonly WireRequest[] }> {
  const server = await startRawServer(answer);
  const target = (options.target ?? targetOf)(server.url);
  const outcome = await streamRequest(target, options.body ?? BODY, { connections, ...options });
  await server.close();
  return { outcome, requests: server.requests };
}

/** The same, where the reply has to be whole. */
export const askOk = async (...given: Parameters<typeof ask>): Promise<OkOutcome> => {
  const { outcome } = await ask(...given);
  expect(outcome).toMatchObject({ state: "ok", errorKind: null });
  return outcome as OkOutcome;
};

/** The same, where the request has to fail. */
export const askError = async (...given: Parameters<typeof ask>): Promise<ErrorOutcome> => {
  const { outcome } = await ask(...given);
  expect(outcome.state).toBe("error");
  return outcome as ErrorOutcome;
};

/** Writes this and closes. */
export const closing =
  (text: string | Buffer): Answer =>
  ({ socket }) =>
    void socket.end(text);
