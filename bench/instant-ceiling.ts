import { type RooflineCase, type RooflineRow, roofline } from "../src/benchmarks/roofline.ts";
import { type InstantProcess, startInstantProcess } from "../src/engine/instant/instant-process.ts";
import { parseTarget } from "../src/target/parse-target.ts";
import { median } from "./median.ts";
import { loadAverage, processCost } from "./process-cost.ts";

/** A case, and how many processes answer it. */
export interface InstantCase extends RooflineCase {
  readonly processes: number;
}

/** The instant server beside the client that loads it, in one mode; medians of the rounds. */
export interface InstantRow extends Pick<InstantCase, "mode" | "streams" | "processes"> {
  readonly eventsPerS: number;
  readonly requestsPerS: number;
  readonly isComplete: boolean;
  /** Of one event, or where replies are short of one request. */
  readonly serverUs: number;
  readonly clientUs: number;
  /** Server by client, in the same round; above 1 the server reaches its core first. */
  readonly ratio: number;
  readonly serverCores: number;
  readonly serverWaitShare: number;
  readonly clientBusyShare: number;
  readonly rounds: readonly InstantRound[];
  readonly loadAverage: number;
}

interface InstantRound {
  readonly row: RooflineRow;
  readonly serverUs: number;
  readonly clientUs: number;
  readonly serverCores: number;
  readonly serverWaitShare: number;
}

interface Seen {
  readonly requests: number;
  readonly eventsSent: number;
}

/** All cases, so many times, turn by turn. */
export async function instantCeiling(
  cases: readonly InstantCase[],
  rounds: number,
): Promise<readonly InstantRow[]> {
  const all = cases.map((one) => ({ one, runs: [] as InstantRound[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { one, runs } of all) {
      const server = await startInstantProcess({ processes: one.processes });
      runs.push(await measure(server, one));
      await server.close();
    }
  }
  return all.map(({ one, runs }) => rowOf(one, runs));
}

/**
 * The server's figures are of the warm-up too: per event they are nearly the same. Several processes
 * tell of their events each for itself, so what one event costs them all is not known.
 */
async function measure(server: InstantProcess, one: InstantCase): Promise<InstantRound> {
  const target = parseTarget(server.url, { model: "instant" });
  const [seenBefore, before] = [await seenBy(server), processCost(server.pid)];
  for await (const row of roofline(target, [one])) {
    const after = processCost(server.pid);
    const seen = await seenBy(server);
    const key = one.mode === "short" ? "requests" : "eventsSent";
    const count = one.processes === 1 ? seen[key] - seenBefore[key] : Number.NaN;
    const ranS = (after.atMs - before.atMs) / 1000;
    return {
      row,
      serverUs: ((after.cpuS - before.cpuS) * 1e6) / count,
      clientUs: (one.mode === "short" ? row.cpuUsPerRequest : row.cpuUsPerEvent) ?? Number.NaN,
      serverCores: (after.cpuS - before.cpuS) / ranS,
      serverWaitShare: one.processes === 1 ? (after.waitS - before.waitS) / ranS : Number.NaN,
    };
  }
  throw new Error(`the case ${one.mode} gave no row`);
}

async function seenBy({ url }: InstantProcess): Promise<Seen> {
  return (await (await fetch(`${url}/seen`)).json()) as Seen;
}

function rowOf(
  { mode, streams, processes }: InstantCase,
  rounds: readonly InstantRound[],
): InstantRow {
  const of = (pick: (round: InstantRound) => number): number => median(rounds.map(pick));
  return {
    mode,
    streams,
    processes,
    eventsPerS: of(({ row }) => row.eventsPerS),
    requestsPerS: of(({ row }) => row.requestsPerS),
    isComplete: rounds.every(({ row }) => row.isComplete),
    serverUs: of((round) => round.serverUs),
    clientUs: of((round) => round.clientUs),
    ratio: of((round) => round.serverUs / round.clientUs),
    serverCores: of((round) => round.serverCores),
    serverWaitShare: of((round) => round.serverWaitShare),
    clientBusyShare: of(({ row }) => row.busyShare),
    rounds,
    loadAverage: loadAverage(),
  };
}
