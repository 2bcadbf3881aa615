import type { EngineServer } from "../engine/server/engine-server.ts";
import type { EngineStatus } from "../engine/server/engine-status.ts";
import { type FactRow, factsTable, type Look } from "../report/facts-table.ts";
import { joules, seconds } from "../report/figures.ts";

/** What `joulemark engine` shows when it serves. */
export function engineStartText(server: EngineServer, look: Look): string {
  const { profile, summary, model, seed, devices } = server.status();
  const facts: readonly FactRow[] = [
    ["endpoint", `${server.url}/v1`],
    ["model", model],
    ["resembles", summary],
    ["GPUs", devices.map(({ index, name, serves }) => gpuLine(index, name, serves))],
    ["nvidia-smi", server.nvidiaSmiPath],
    ["seed", String(seed)],
    ["truth", server.hasTruth ? `${server.url}/truth/…` : "not kept (--truth)"],
  ];
  return factsTable(`SIMULATED engine "${profile}" serves; nothing of it is real`, facts, look);
}

/** What it shows when it has been ended. */
export function engineEndText(status: EngineStatus, look: Look): string {
  const { counters, sendLag, steps } = status;
  const { finished, failed, cut, abandoned } = counters.ends;
  const open = counters.requests - finished - counters.refused - failed - cut - abandoned;
  const lag = sendLag
    ? `p50 ${milliseconds(sendLag.p50Ms)}, p99 ${milliseconds(sendLag.p99Ms)}, max ${milliseconds(sendLag.maxMs)} behind its schedule`
    : "— (nothing was sent)";
  const facts: readonly FactRow[] = [
    ["served for", seconds(status.uptimeS)],
    [
      "requests",
      `${counters.requests}: ${finished} finished, ${counters.refused} refused, ${failed + cut} failed on purpose, ${abandoned} abandoned by their client${open === 0 ? "" : `, ${open} ended with the engine`}`,
    ],
    ["tokens", `${counters.promptTokens} in, ${counters.generatedTokens} out`],
    ["steps", steps.slips === 0 ? String(steps.done) : `${steps.done}, ${steps.slips} held up`],
    ["sent", lag],
    [
      "energy",
      `${joules(status.servingJ)} (SIMULATED): the engine's own work and idling on ${servingText(status)}, without other programs and spare GPUs`,
    ],
    ...(status.railTrouble === undefined
      ? []
      : [["rail files", status.railTrouble] satisfies FactRow]),
  ];
  return factsTable("SIMULATED engine ended", facts, look);
}

/** What to type in another terminal. */
export function engineNextText({ url, nvidiaSmiPath }: EngineServer): string {
  return [
    "Next, in another terminal:",
    `  curl ${url}/v1/models`,
    `  joulemark rails --nvidia-smi ${nvidiaSmiPath}`,
    "Ctrl-C ends the engine.",
  ].join("\n");
}

function servingText({ devices }: EngineStatus): string {
  const serving = devices.filter(({ serves }) => serves).length;
  return serving === 1 ? "its GPU" : `its ${serving} GPUs`;
}

function gpuLine(index: number, name: string, serves: boolean): string {
  return `${index}: ${name}${serves ? "" : ", does not serve"}`;
}

function milliseconds(valueMs: number): string {
  return `${valueMs.toFixed(2)} ms`;
}
