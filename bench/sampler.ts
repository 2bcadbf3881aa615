import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { clockOriginNs } from "../src/clock.ts";
import type { PowerSample } from "../src/energy/power-sample.ts";
import { cpuSecondsOf } from "../src/rails/nvidia-smi/child-cost.ts";
import { openNvidiaSmi } from "../src/rails/nvidia-smi/open-nvidia-smi.ts";
import { NvidiaSmiReader } from "../src/rails/nvidia-smi/reader.ts";
import type { RailEvent } from "../src/rails/source.ts";
import { memoryOfManySamples } from "./many-samples.ts";
import { printTable } from "./print-table.ts";
import { standInChild } from "./stand-in-child.ts";
import { takeChunksApart } from "./take-chunks-apart.ts";
import { writeResults } from "./write-results.ts";

/** How long each case is measured, in ms. */
const MEASURE_MS = 10_000;

/** Until the code is compiled, and the start of the program is paid for, in ms. */
const WARM_UP_MS = 12_000;

interface Cost {
  readonly gpus: number;
  readonly periodMs: number;
  readonly readings: number;
  readonly readerCorePercent: number;
  readonly programCorePercent: number;
  readonly childCorePercent: number;
}

/** CPU of the reader's thread, of this whole program and of the child, while nothing else happens. */
async function costOf(gpus: number, periodMs: number): Promise<Cost> {
  let pid = 0;
  let readings = 0;
  const threadsBefore = new Set(threadIds());
  const sampler = await openNvidiaSmi({
    path: await standInChild(gpus, { kind: "steps", steps: [{ atMs: 0, powerW: 300 }], noiseW: 1 }),
    periodMs,
    onEvent: (event) => {
      if (event.kind === "started") pid = event.pid;
      if (event.kind === "read") readings += event.samples.length;
    },
  });
  const readerThreads = threadIds().filter((id) => !threadsBefore.has(id));
  await sleep(WARM_UP_MS);
  const readingsBefore = readings;
  const before = [threadsS(readerThreads), threadsS(threadIds()), cpuSecondsOf(pid) ?? Number.NaN];
  await sleep(MEASURE_MS);
  const after = [threadsS(readerThreads), threadsS(threadIds()), cpuSecondsOf(pid) ?? Number.NaN];
  await sampler.stop();
  const percent = (i: number): number => ((after[i]! - before[i]!) * 1000 * 100) / MEASURE_MS;
  return {
    gpus,
    periodMs,
    readings: readings - readingsBefore,
    readerCorePercent: percent(0),
    programCorePercent: percent(1),
    childCorePercent: percent(2),
  };
}

function threadIds(): readonly string[] {
  return readdirSync("/proc/self/task");
}

function threadsS(ids: readonly string[]): number {
  return ids.reduce((sum, id) => {
    const ns = readFileSync(`/proc/self/task/${id}/schedstat`, "utf8").split(" ")[0];
    return sum + Number(ns) / 1e9;
  }, 0);
}

interface StampError {
  readonly reader: "own thread" | "load's thread";
  readonly load: string;
  readonly n: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Readings whose “watts” are the time at which they were written, taken for `MEASURE_MS`. */
async function stampErrors(
  reader: StampError["reader"],
  load: string,
  busy: { readonly threads: number; readonly isMainBusy: boolean },
): Promise<StampError> {
  const originNs = process.hrtime.bigint();
  const path = await standInChild(1, { kind: "clock", originNs: String(originNs) });
  const offsetMs = Number(originNs - clockOriginNs) / 1e6;
  const samples: PowerSample[] = [];
  const onEvent = (event: RailEvent): void => {
    if (event.kind === "read") samples.push(...event.samples);
  };
  const stop =
    reader === "own thread" ? await openInThread(path, onEvent) : openHere(path, onEvent);
  const threads = Array.from(
    { length: busy.threads },
    () => new Worker(new URL("./busy-thread.js", import.meta.url)),
  );
  await sleep(1000);
  samples.length = 0;
  const untilMs = performance.now() + MEASURE_MS;
  while (performance.now() < untilMs) {
    // Slices of 50 ms: what a loop with a thousand ready sockets takes for one turn.
    if (busy.isMainBusy) takeChunksApart(50);
    await new Promise((resolve) => setImmediate(resolve));
    if (!busy.isMainBusy) await sleep(50);
  }
  await stop();
  for (const thread of threads) await thread.terminate();
  const errorsMs = samples
    .map(({ atMs, powerW }) => atMs - offsetMs - powerW)
    .sort((a, b) => a - b);
  const at = (share: number): number =>
    errorsMs[Math.min(errorsMs.length - 1, Math.ceil(share * errorsMs.length) - 1)] ?? Number.NaN;
  return { reader, load, n: errorsMs.length, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}

async function openInThread(
  path: string,
  onEvent: (event: RailEvent) => void,
): Promise<() => Promise<unknown>> {
  const sampler = await openNvidiaSmi({ path, periodMs: 20, onEvent });
  return () => sampler.stop();
}

/** The other way to do it, for comparison: the child is read where the load is. */
function openHere(path: string, onEvent: (event: RailEvent) => void): () => Promise<unknown> {
  const columns = [
    "power.draw.average",
    "clocks_event_reasons.sw_power_cap",
    "clocks_event_reasons.hw_power_brake_slowdown",
    "index",
    "uuid",
  ];
  const reader = NvidiaSmiReader.start(
    { path, columns, periodMs: 20, devices: [{ id: "GPU-0", index: 0 }], isSubset: false },
    onEvent,
  );
  return async () => (await reader).stop();
}

const costs = [await costOf(1, 250), await costOf(8, 250)];
printTable(
  "CPU of a core while nothing else runs, 10 s after 12 s of warm-up (child: the stand-in, a Node program; a real nvidia-smi costs less)",
  [
    ["GPUs", "period", "readings", "reader's thread", "whole program", "child"],
    ...costs.map((cost) => [
      String(cost.gpus),
      `${cost.periodMs} ms`,
      String(cost.readings),
      `${cost.readerCorePercent.toFixed(3)} %`,
      `${cost.programCorePercent.toFixed(3)} %`,
      `${cost.childCorePercent.toFixed(2)} %`,
    ]),
  ],
);

const errors = [
  await stampErrors("own thread", "idle", { threads: 0, isMainBusy: false }),
  await stampErrors("own thread", "load thread saturated", { threads: 1, isMainBusy: false }),
  await stampErrors("own thread", "main thread saturated", { threads: 0, isMainBusy: true }),
  await stampErrors("own thread", "two threads saturated", { threads: 1, isMainBusy: true }),
  await stampErrors("load's thread", "idle", { threads: 0, isMainBusy: false }),
  await stampErrors("load's thread", "that thread saturated", { threads: 0, isMainBusy: true }),
];
printTable("arrival stamp minus the time at which the child wrote the line, period 20 ms", [
  ["reader in", "load", "n", "p50 ms", "p99 ms", "max ms"],
  ...errors.map(({ reader, load, n, p50Ms, p99Ms, maxMs }) => [
    reader,
    load,
    String(n),
    p50Ms.toFixed(2),
    p99Ms.toFixed(2),
    maxMs.toFixed(2),
  ]),
]);

const memory = memoryOfManySamples();
printTable("memory of the sampler over 1,000,000 readings of 8 GPUs at 250 ms (an hour is kept)", [
  ["readings", "hours", "heap and buffers MB"],
  ...memory.map(({ readings, hours, usedMb }) => [
    String(readings),
    hours.toFixed(1),
    usedMb.toFixed(2),
  ]),
]);
writeResults("sampler", { costs, errors, memory });
