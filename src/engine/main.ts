import { once } from "node:events";
import { createInterface } from "node:readline";
import { JoulemarkError } from "../errors.ts";
import type { EngineOptions } from "./engine-options.ts";
import { startEngineServer } from "./server/engine-server.ts";

/**
 * The engine as a program of its own: reads its options as the first line of its stdin, prints one
 * line of JSON when it serves or cannot, and ends when its stdin ends, so that it never outlives
 * the program that started it.
 *
 * Ctrl-C reaches it too, but that is for the other program to obey: it may want to know the truth
 * of what it has measured so far.
 */
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
const lines = createInterface({ input: process.stdin });
// It may be gone before the engine serves.
const isOver = Promise.race([once(lines, "close"), once(process, "SIGTERM")]);
const [optionsJson] = (await once(lines, "line")) as [string];
try {
  const server = await startEngineServer(JSON.parse(optionsJson) as EngineOptions);
  const { url, nvidiaSmiPath, devices, model } = server;
  console.log(JSON.stringify({ ready: { url, nvidiaSmiPath, devices, model } }));
  await isOver;
  await server.close();
  process.exit(0);
} catch (error) {
  if (!(error instanceof JoulemarkError)) throw error;
  console.log(JSON.stringify({ failed: { code: error.code, message: error.message } }));
  process.exit(2);
}
