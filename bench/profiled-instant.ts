/**
 * The instant server as a program that profiles itself: prints its address, begins at the line
 * `start`, and at `stop` prints where its time went.
 */
import { type Profiler, Session } from "node:inspector";
import { createInterface } from "node:readline";
import { startInstantServer } from "../src/engine/instant/instant-server.ts";
import { cpuCategories } from "./cpu-categories.ts";

const SAMPLE_EVERY_US = 200;

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.setSamplingInterval", { interval: SAMPLE_EVERY_US });
const { url } = await startInstantServer();
console.log(JSON.stringify({ url }));
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "start") session.post("Profiler.start");
  else console.log(JSON.stringify(cpuCategories(await stopped())));
}
process.exit(0);

function stopped(): Promise<Profiler.Profile> {
  return new Promise((resolve, reject) => {
    session.post("Profiler.stop", (error, answer) =>
      error ? reject(error) : resolve(answer.profile),
    );
  });
}
