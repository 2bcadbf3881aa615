// @ts-check
/**
 * The engine and its HTTP server. A process of its own, since llama.cpp writes to stdout what it does.
 * Its parent gives the options, is told when it is ready, and kills it in the end.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Engine } from "./engine.mjs";
import { httpServer } from "./http-server.mjs";
import { tinyModel } from "./tiny-model.mjs";

/** @typedef {{ state: "ready"; url: string; model: string } | { state: "failed"; why: string }} Report */

const HOST = "127.0.0.1";
const options = /** @type {import("./options.mjs").ServerOptions} */ (
  JSON.parse(process.argv[2] ?? "{}")
);

// Ctrl-C reaches the whole group of a terminal: the parent ends this process.
process.on("SIGINT", () => {});
// The parent is gone. The engine is not taken down in order: while it computes, that may spoil memory.
process.once("disconnect", () => process.kill(process.pid, "SIGKILL"));

try {
  const engine = await openEngine();
  const server = httpServer(engine);
  await /** @type {Promise<void>} */ (
    new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(options.port, HOST, resolve);
    })
  );
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  report({ state: "ready", url: `http://${HOST}:${port}`, model: engine.modelName });
} catch (error) {
  report({ state: "failed", why: error instanceof Error ? error.message : String(error) }, () =>
    process.exit(1),
  );
}

async function openEngine() {
  if (options.model !== undefined) return await Engine.open(options.model, options);
  const folder = await mkdtemp(join(tmpdir(), "llama-server-"));
  try {
    const file = join(folder, "tiny.gguf");
    await writeFile(file, tinyModel());
    return await Engine.open(file, options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * @param {Report} message
 * @param {() => void} [onSent]
 */
function report(message, onSent = () => {}) {
  process.send?.(message, onSent);
}
