import type { InstantProcess } from "../src/engine/instant/instant-process.ts";
import { type Client, type ClientRun, clients, runClient } from "./client-process.ts";
import type { ClientCase } from "./clients/client-case.ts";
import { median } from "./median.ts";
import { printTable } from "./print-table.ts";

const EVERY_MS = 20;
const ROUNDS = 3;

/** Medians over the rounds, for one client and one phase. */
export interface ClientRow {
  readonly client: string;
  readonly phase: ClientCase["phase"];
  readonly askedEventsPerS: number;
  readonly eventsPerS: number;
  readonly isComplete: boolean;
  readonly cpuUsPerEvent: number;
  readonly threadCpuUsPerEvent?: number;
  /** CPU per event of this client by that of joulemark, in the same round. */
  readonly ratio: number;
  readonly stampP50Ms: number;
  readonly stampP99Ms: number;
  readonly loopDelayP99Ms: number;
  readonly serverCores: number;
  readonly clientCores: number;
  readonly rounds: readonly ClientRun[];
}

/** joulemark's client beside others, turn by turn, so that what disturbs one disturbs all. */
export async function compareClients(
  server: InstantProcess,
  seconds: number,
  streams: number,
): Promise<readonly ClientRow[]> {
  const all = await clients();
  const rows: ClientRow[] = [];
  for (const phase of ["spread", "together"] as const) {
    const one = {
      url: server.url,
      streams,
      eventsPerStream: Math.round((seconds * 1000) / EVERY_MS),
      everyMs: EVERY_MS,
      phase,
    };
    const runs = new Map<Client, ClientRun[]>(all.map((client) => [client, []]));
    for (let round = 0; round < ROUNDS; round++) {
      for (const client of all) runs.get(client)!.push(await runClient(client, one, server.pid));
    }
    const ours = runs.get(all[0]!)!;
    const phaseRows = all.map((client) => rowOf(client, one, runs.get(client)!, ours));
    print(phaseRows, streams, phase);
    rows.push(...phaseRows);
  }
  return rows;
}

function rowOf(
  { name }: Client,
  { phase, streams, eventsPerStream }: ClientCase,
  rounds: readonly ClientRun[],
  ours: readonly ClientRun[],
): ClientRow {
  const of = (pick: (run: ClientRun, round: number) => number): number => median(rounds.map(pick));
  const perEvent = (run: ClientRun): number => (run.cpuS * 1e6) / run.events;
  const threadCpuUs = of(({ threadCpuS, events }) => ((threadCpuS ?? Number.NaN) * 1e6) / events);
  return {
    client: name,
    phase,
    askedEventsPerS: (streams * 1000) / EVERY_MS,
    eventsPerS: of(({ events, wallS }) => events / wallS),
    isComplete: rounds.every(({ events }) => events === streams * eventsPerStream),
    cpuUsPerEvent: of(perEvent),
    ...(Number.isNaN(threadCpuUs) ? {} : { threadCpuUsPerEvent: threadCpuUs }),
    ratio: of((run, round) => perEvent(run) / perEvent(ours[round]!)),
    stampP50Ms: of((run) => run.stampP50Ms),
    stampP99Ms: of((run) => run.stampP99Ms),
    loopDelayP99Ms: of((run) => run.loopDelayP99Ms),
    serverCores: of(({ serverCpuS, wallS }) => serverCpuS / wallS),
    clientCores: of(({ cpuS, wallS }) => cpuS / wallS),
    rounds,
  };
}

function print(rows: readonly ClientRow[], streams: number, phase: string): void {
  printTable(
    `${streams} streams × ${1000 / EVERY_MS} events/s, ${phase}; medians of ${ROUNDS} interleaved rounds; CPU of the whole process`,
    [
      [
        "client",
        "events/s",
        "all came",
        "CPU µs/event",
        "× joulemark",
        "stamp p50 ms",
        "p99 ms",
        "loop delay p99 ms",
        "cores: client",
        "server",
      ],
      ...rows.map((row) => [
        row.client,
        row.eventsPerS.toFixed(0),
        row.isComplete ? "yes" : "NO",
        row.cpuUsPerEvent.toFixed(1),
        row.ratio.toFixed(2),
        row.stampP50Ms.toFixed(2),
        row.stampP99Ms.toFixed(1),
        row.loopDelayP99Ms.toFixed(1),
        row.clientCores.toFixed(2),
        row.serverCores.toFixed(2),
      ]),
    ],
  );
  const thread = rows[0]?.threadCpuUsPerEvent;
  if (thread !== undefined) {
    console.log(`  joulemark's load thread alone: ${thread.toFixed(1)} µs/event`);
  }
  if (rows[0]!.serverCores > 0.9) console.log("  the server is near a core: it may be the limit");
}
