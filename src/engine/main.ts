import { once } from "node:events";
import { createInterface } from "node:readline";
import { JoulemarkError } from "../errors.ts";
import type { EngineOptions } from "./engine-options.ts";
import { startEngineServer } from "./server/engine-server.ts";

/**
 * The engine as a program of its own: reads its options as the first line of its stdin, prints one
 * line of JSON when it serves or cannot, and ends when its stdin ends, so that it never outlives
 * the program that started it.
 */
const lines = createInterface({ input: process.stdin });
const [optionsJson] = (await once(lines, "line")) as [string];
try {
  const server = await startEngineServer(JSON.parse(optionsJson) as EngineOptions);
  const { url, nvidiaSmiPath, devices } = server;
  const ready = { url, nvidiaSmiPath, devices, originNs: String(server.originNs) };
  console.log(JSON.stringify({ ready }));
  const end = async (): Promise<void> => {
    await server.close();
    process.exit(0);
  };
  lines.once("close", () => void end());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.once(signal, () => void end());
  }
} catch (error) {
  if (!(error instanceof JoulemarkError)) throw error;
  console.log(JSON.stringify({ failed: { code: error.code, message: error.message } }));
  process.exit(2);
}
