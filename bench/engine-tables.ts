import type { AbortSoak } from "./abort-soak.ts";
import { type HeldRun, STEP_MS } from "./held-load.ts";
import type { InstantRow } from "./instant-ceiling.ts";
import type { InstantProfile } from "./instant-profile.ts";
import { median } from "./median.ts";
import { printTable } from "./print-table.ts";

/** From this share of the time on, what the engine waited for a core is what its lag shows. */
const BUSY_MACHINE = 0.1;

/** One row for each case; medians of its runs, and the worst lag of all of them. */
export function printHeld(cases: readonly (readonly HeldRun[])[]): void {
  const { streams, seconds } = cases[0]![0]!;
  printTable(
    `held: ${streams} streams × ${1000 / STEP_MS} tokens/s for ${seconds} s; medians of ${cases[0]!.length} rounds, times in ms`,
    [
      [
        "phases",
        "truth",
        "events/s",
        "engine cores",
        "µs/event",
        "waited for a core",
        "lag p50",
        "p99",
        "max",
        "worst round",
        "max at begin",
        "slips",
        "arrival − stamp p50",
        "p99",
        "stamps equal",
        "client cores",
      ],
      ...cases.map(heldCells),
    ],
  );
  const waitShare = Math.max(...cases.flat().map((run) => run.engineWaitShare));
  if (waitShare > BUSY_MACHINE) {
    console.log(
      `  the machine was busy: the engine waited for a core for up to ${percent(waitShare)} of the time, and lag and slips are of that`,
    );
  }
}

function heldCells(runs: readonly HeldRun[]): string[] {
  const of = (pick: (run: HeldRun) => number | undefined): number =>
    median(runs.map((run) => pick(run) ?? Number.NaN));
  const sum = (pick: (run: HeldRun) => number): number =>
    runs.reduce((total, run) => total + pick(run), 0);
  const worstLagMs = Math.max(...runs.map(({ lagMs }) => lagMs?.max ?? Number.NaN));
  const { phases, hasTruth } = runs[0]!;
  const equal = sum(({ stamps }) => stamps?.equal ?? 0);
  return [
    phases,
    hasTruth ? "on" : "off",
    of(({ eventsPerS }) => eventsPerS).toFixed(0),
    of(({ engineCores }) => engineCores).toFixed(2),
    of(({ engineUsPerEvent }) => engineUsPerEvent).toFixed(1),
    percent(of(({ engineWaitShare }) => engineWaitShare)),
    shown(
      of(({ lagMs }) => lagMs?.p50),
      2,
    ),
    shown(of(({ lagMs }) => lagMs?.p99)),
    shown(of(({ lagMs }) => lagMs?.max)),
    shown(worstLagMs),
    shown(of(({ beginLagMs }) => beginLagMs?.max)),
    `${sum(({ slips }) => slips)} of ${sum(({ steps }) => steps)}`,
    shown(
      of(({ arrivalMs }) => arrivalMs?.p50),
      2,
    ),
    shown(of(({ arrivalMs }) => arrivalMs?.p99)),
    hasTruth ? `${equal} of ${sum(({ stamps }) => stamps?.stamps ?? 0)}` : "",
    of(({ clientCores }) => clientCores).toFixed(2),
  ];
}

/** The instant server and the client beside each other. */
export function printInstant(rows: readonly InstantRow[]): void {
  printTable("instant: one load thread; CPU of one event, of one request in short", [
    [
      "mode",
      "streams",
      "server processes",
      "events/s",
      "requests/s",
      "all came",
      "server µs",
      "client µs",
      "server/client",
      "server cores",
      "server waited",
      "client busy",
    ],
    ...rows.map((row) => [
      row.mode,
      String(row.streams),
      String(row.processes),
      row.eventsPerS.toFixed(0),
      row.requestsPerS.toFixed(0),
      row.isComplete ? "yes" : "NO",
      shown(row.serverUs, 2),
      row.clientUs.toFixed(2),
      shown(row.ratio, 2),
      row.serverCores.toFixed(2),
      Number.isNaN(row.serverWaitShare) ? "" : percent(row.serverWaitShare),
      percent(row.clientBusyShare),
    ]),
  ]);
}

/** Where the time of the instant server goes. */
export function printProfiles(profiles: readonly InstantProfile[]): void {
  printTable("where the instant server's busy time goes", [
    ["mode", "socket write", "other native", "Node's code", "own code", "GC", "idle of all"],
    ...profiles.map((profile) => [
      profile.mode,
      percent(profile.socketWrite),
      percent(profile.native),
      percent(profile.nodeCode),
      percent(profile.ownCode),
      percent(profile.garbageCollection),
      percent(profile.idleShare),
    ]),
  ]);
}

/** Resident memory at each tenth of the way. */
export function printSoaks(soaks: readonly AbortSoak[]): void {
  printTable(`soak: ${soaks[0]!.streams} streams, each broken off by its client; resident MB`, [
    [
      "truth",
      ...soaks[0]!.points.map(({ streams }) => `${streams / 1000}k`),
      "B/stream, 2nd half",
      "left: waiting",
      "running",
      "KV tokens",
      "abandoned",
      "events",
      "streams/s",
    ],
    ...soaks.map(
      ({ hasTruth, points, growthBytesPerStream, left, abandoned, events, streams, seconds }) => [
        hasTruth ? "on" : "off",
        ...points.map(({ rssMb }) => rssMb.toFixed(0)),
        growthBytesPerStream.toFixed(0),
        String(left.waiting),
        String(left.running),
        String(left.kvTokens),
        String(abandoned),
        String(events),
        (streams / seconds).toFixed(0),
      ],
    ),
  ]);
}

function shown(value: number, digits = 1): string {
  return Number.isNaN(value) ? "" : value.toFixed(digits);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}
