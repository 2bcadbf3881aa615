import { type MessagePort, workerData } from "node:worker_threads";
import { NvidiaSmiReader, type ReaderOptions } from "./reader.ts";

/** Entry of the reader's own thread, so that no load delays the stamps. */
const { options, port } = workerData as { options: ReaderOptions; port: MessagePort };
const reader = await NvidiaSmiReader.start(options, (event) => port.postMessage(event));
port.once("message", () => {
  void reader.stop().then(() => port.close());
});
