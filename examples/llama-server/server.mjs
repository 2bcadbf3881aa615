#!/usr/bin/env node
// @ts-check
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { readOptions, USAGE } from "./options.mjs";

/** @typedef {import("./engine-process.mjs").Report} Report */
/** @typedef {import("./options.mjs").ServerOptions} ServerOptions */

const ENGINE_PROCESS = fileURLToPath(new URL("./engine-process.mjs", import.meta.url));

const options = optionsOrExit();
// What llama.cpp says must not come on stdout, where the URL does.
const said = options.verbose ? 2 : "ignore";
const engine = fork(ENGINE_PROCESS, [JSON.stringify(options)], {
  stdio: ["ignore", said, said, "ipc"],
});
let isEnding = false;
let hasFailed = false;

engine.on("message", (message) => {
  const report = /** @type {Report} */ (message);
  if (report.state === "failed") fail(report.why);
  else console.log(JSON.stringify({ url: report.url, model: report.model }));
});
engine.once("exit", (code, signal) => {
  if (isEnding) process.exit(0);
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  if (!hasFailed) fail(`the engine ended (${how}); --verbose shows what it says`);
  process.exit(1);
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, end);
if (options.endWithStdin) process.stdin.resume().once("end", end);

function end() {
  isEnding = true;
  engine.kill("SIGKILL");
}

/** @param {string} why */
function fail(why) {
  hasFailed = true;
  console.error(`llama-server: ${why}`);
}

/** @returns {ServerOptions} */
function optionsOrExit() {
  try {
    const read = readOptions(process.argv.slice(2));
    if (read !== "help") return read;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    console.error(`llama-server: ${error instanceof Error ? error.message : error}\n\n${USAGE}`);
    process.exit(2);
  }
}
