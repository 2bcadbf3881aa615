import cluster from "node:cluster";
import { once } from "node:events";
import { startInstantServer } from "./instant-server.ts";

/**
 * The instant server as a program of its own: prints its address as one line of JSON, and ends when
 * its stdin ends, so that it never outlives the program that started it.
 *
 * Arguments: port, and how many processes share it. One answers on one core; several answer on as
 * many, and the first one only hands them connections, turn by turn.
 */
const [port = "0", processes = "1"] = process.argv.slice(2);
if (cluster.isWorker) {
  const { url } = await startInstantServer(Number(port));
  process.send?.({ url });
} else {
  const workers = Number(processes) > 1 ? Number(processes) : 0;
  const { url } =
    workers > 0 ? await startWorkers(workers) : await startInstantServer(Number(port));
  console.log(JSON.stringify({ url }));
  process.stdin.resume();
  process.stdin.once("end", () => void endAll());
}

async function startWorkers(count: number): Promise<{ url: string }> {
  const workers = Array.from({ length: count }, () => cluster.fork());
  const ready = await Promise.all(workers.map((worker) => once(worker, "message")));
  return (ready[0] as [{ url: string }])[0];
}

/** Should this process be killed, workers end by themselves: their channel to it closes. */
async function endAll(): Promise<void> {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  const ended = workers.map((worker) => once(worker, "exit"));
  for (const worker of workers) worker.process.kill("SIGKILL");
  await Promise.all(ended);
  process.exit(0);
}
