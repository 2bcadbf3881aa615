import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { EngineOptions } from "../engine-options.ts";
import type { RailDevice } from "../rail/rail-options.ts";
import { ApiError } from "./api-error.ts";
import { answerRequest } from "./engine-routes.ts";
import type { EngineStatus } from "./engine-status.ts";
import { listenProblem } from "./listen-problem.ts";
import { refuseBytes, refuseTunnel } from "./refuse-bytes.ts";
import { resolveEngineOptions } from "./resolve-engine-options.ts";
import { sendError } from "./send-json.ts";
import { openSimulatedEngine, type SimulatedEngine } from "./simulated-engine.ts";

/** A simulated engine that serves. */
export interface EngineServer {
  readonly url: string;
  /** The engine's time 0 on the machine's monotonic clock, in ns. */
  readonly originNs: bigint;
  /** The stand-in `nvidia-smi` that shows its GPUs. */
  readonly nvidiaSmiPath: string;
  readonly devices: readonly RailDevice[];
  readonly model: string;
  /** Whether `/truth/…` is answered. */
  readonly hasTruth: boolean;
  status(): EngineStatus;
  close(): Promise<void>;
}

const HOST = "127.0.0.1";

const SERVER_NAME = "joulemark-engine (SIMULATED)";

/** Longer than a client waits between two uses of a connection. */
const KEEP_ALIVE_MS = 120_000;

/** How long a request may take to come, and how often that is looked at, in ms. */
interface ArrivalLimits {
  readonly mostMs: number;
  readonly checkEveryMs: number;
}

/** Of requests only: a reply takes any time. */
const ARRIVAL: ArrivalLimits = { mostMs: 300_000, checkEveryMs: 30_000 };

/**
 * Starts the engine in this process, on the loopback interface.
 *
 * @throws {JoulemarkError} `bad_option`, with all that is wrong with the options.
 */
export async function startEngineServer(
  options: EngineOptions = {},
  arrival: ArrivalLimits = ARRIVAL,
): Promise<EngineServer> {
  const ready = resolveEngineOptions(options);
  const engine = await openSimulatedEngine(ready);
  const server = createServer({
    noDelay: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: arrival.mostMs,
    connectionsCheckingInterval: arrival.checkEveryMs,
    // It would be refused without an envelope.
    requireHostHeader: false,
  });
  server.on("request", (message, response) => answer(engine, message, response));
  // As many requests as a client likes wait for one connection.
  server.on("connection", (socket: Socket) => socket.setMaxListeners(0));
  server.on("clientError", refuseBytes);
  server.on("connect", refuseTunnel);
  server.on("checkExpectation", (message, response) => {
    const error = new ApiError(417, "Nothing but 100-continue can be expected.");
    refuse(error, message, response);
  });
  try {
    await listen(server, ready.port);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    originNs: engine.originNs,
    nvidiaSmiPath: engine.rail.path,
    devices: engine.rail.devices,
    model: engine.model,
    hasTruth: ready.truth ?? false,
    status: () => engine.status(),
    async close() {
      server.close();
      server.closeAllConnections();
      await engine.close();
    },
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (cause) {
    throw listenProblem(cause, HOST, port);
  }
}

function answer(engine: SimulatedEngine, message: IncomingMessage, response: ServerResponse): void {
  response.setHeader("server", SERVER_NAME);
  answerRequest(engine, message, response).catch((error: unknown) =>
    refuse(error, message, response),
  );
}

function refuse(error: unknown, message: IncomingMessage, response: ServerResponse): void {
  if (error instanceof ApiError) {
    response.setHeader("server", SERVER_NAME);
    sendError(response, error);
    return;
  }
  // The client went away in the middle of its own request.
  if (message.destroyed && !message.complete) return void response.destroy();
  // A bug: the client has to hear of it, and the log too.
  console.error(error);
  sendError(response, new ApiError(500, "The engine has a bug; its log says more."));
}
