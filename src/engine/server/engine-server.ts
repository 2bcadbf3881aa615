import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { JoulemarkError } from "../../errors.ts";
import type { EngineOptions } from "../engine-options.ts";
import type { RailDevice } from "../rail/rail-options.ts";
import { ApiError } from "./api-error.ts";
import { answerRequest } from "./engine-routes.ts";
import type { EngineStatus } from "./engine-status.ts";
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

/** Longer than a client waits between two uses of a connection. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Starts the engine in this process, on the loopback interface.
 *
 * @throws {JoulemarkError} `bad_option`, with all that is wrong with the options.
 */
export async function startEngineServer(options: EngineOptions = {}): Promise<EngineServer> {
  const ready = resolveEngineOptions(options);
  const engine = await openSimulatedEngine(ready);
  const server = createServer({
    noDelay: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    requestTimeout: 0,
  });
  server.on("request", (message, response) => answer(engine, message, response));
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) =>
    refuseBytes(error, socket),
  );
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
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw cause;
    const why = code === "EACCES" ? "needs more rights" : "is taken";
    throw new JoulemarkError("bad_option", `port ${port} of ${HOST} ${why}; give another one`, {
      cause,
    });
  }
}

function answer(engine: SimulatedEngine, message: IncomingMessage, response: ServerResponse): void {
  response.setHeader("server", "joulemark-engine (SIMULATED)");
  answerRequest(engine, message, response).catch((error: unknown) => {
    if (error instanceof ApiError) {
      engine.countRefused();
      return sendError(response, error);
    }
    // The client went away in the middle of its own request.
    if (message.destroyed && !message.complete) return response.destroy();
    // A bug: the client has to hear of it, and the log too.
    console.error(error);
    sendError(response, new ApiError(500, "The engine has a bug; its log says more."));
  });
}

/** Bytes that are no HTTP get an envelope too. */
function refuseBytes({ code }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === "ECONNRESET" || !socket.writable) return void socket.destroy();
  const [status, reason] =
    code === "HPE_HEADER_OVERFLOW"
      ? [431, "Request Header Fields Too Large"]
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? [408, "Request Timeout"]
        : [400, "Bad Request"];
  const body = JSON.stringify(new ApiError(Number(status), `${reason}.`));
  const head = `HTTP/1.1 ${status} ${reason}\r\nconnection: close\r\ncontent-type: application/json`;
  socket.end(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
}
