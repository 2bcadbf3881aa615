import { parentPort, workerData } from "node:worker_threads";
import type { ThreadSetup } from "./messages.ts";
import { serveThread } from "./thread-service.ts";

/** Entry of a load thread. */
if (parentPort) serveThread(parentPort, workerData as ThreadSetup);
