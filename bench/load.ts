import { parseArgs } from "node:util";
import { type RooflineCase, type RooflineRow, roofline } from "../src/benchmarks/roofline.ts";
import { startInstantProcess } from "../src/engine/instant/instant-process.ts";
import { cpuSecondsOf } from "../src/rails/nvidia-smi/child-cost.ts";
import { parseTarget } from "../src/target/parse-target.ts";
import { compareClients } from "./compare-clients.ts";
import { median } from "./median.ts";
import { openStreams, type Soak, soak } from "./open-streams.ts";
import { parsingCosts } from "./parsing-cost.ts";
import { printTable } from "./print-table.ts";
import { writeResults } from "./write-results.ts";

const { values } = parseArgs({
  options: {
    /** How long each client reads, per round and phase. */
    "client-s": { type: "string", default: "8" },
    /** Streams at once where clients are compared. */
    streams: { type: "string", default: "1000" },
    "only-clients": { type: "boolean", default: false },
    "soak-s": { type: "string", default: "30" },
    "only-soak": { type: "boolean", default: false },
  },
});

const server = await startInstantProcess();

function compared(): ReturnType<typeof compareClients> {
  return compareClients(server, Number(values["client-s"]), Number(values.streams));
}

/** Each case three times, in turns; rows with the medians, and the server's share of a core. */
async function saturation(): Promise<readonly (RooflineRow & { serverCores: number })[]> {
  const cases: RooflineCase[] = (["flood", "flood-100", "short"] as const).flatMap((mode) =>
    [1, 2].map((threads) => ({ mode, threads, streams: 64, seconds: 3 })),
  );
  const target = parseTarget(server.url, { model: "instant" });
  const rounds: (RooflineRow & { serverCores: number })[][] = [];
  for (let round = 0; round < 3; round++) {
    const rows: (RooflineRow & { serverCores: number })[] = [];
    let [cpuS, atMs] = [cpuSecondsOf(server.pid) ?? Number.NaN, performance.now()];
    for await (const row of roofline(target, cases)) {
      const [thenS, thenMs] = [cpuSecondsOf(server.pid) ?? Number.NaN, performance.now()];
      rows.push({ ...row, serverCores: ((thenS - cpuS) * 1000) / (thenMs - atMs) });
      [cpuS, atMs] = [thenS, thenMs];
    }
    rounds.push(rows);
  }
  return cases.map((_, i) => {
    const rows = rounds.map((each) => each[i]!);
    const of = (pick: (row: (typeof rows)[number]) => number | undefined): number =>
      median(rows.map((row) => pick(row) ?? Number.NaN));
    return {
      ...rows[0]!,
      isComplete: rows.every(({ isComplete }) => isComplete),
      eventsPerS: of(({ eventsPerS }) => eventsPerS),
      requestsPerS: of(({ requestsPerS }) => requestsPerS),
      cpuUsPerEvent: of(({ cpuUsPerEvent }) => cpuUsPerEvent),
      cpuUsPerRequest: of(({ cpuUsPerRequest }) => cpuUsPerRequest),
      busyShare: of(({ busyShare }) => busyShare),
      serverCores: of(({ serverCores }) => serverCores),
    };
  });
}

async function soaked(): Promise<Soak> {
  const result = await soak(server.url, Number(values["soak-s"]));
  const { minutes, events, failed, earlyMb, lateMb } = result;
  printTable("soak: 1,000 streams × 50 events/s, each replaced when it ends; whole program", [
    ["minutes", "events", "failed", "RSS MB, 2nd quarter", "last quarter", "growth"],
    [
      minutes.toFixed(1),
      String(events),
      String(failed),
      earlyMb.toFixed(0),
      lateMb.toFixed(0),
      `${((lateMb / earlyMb - 1) * 100).toFixed(1)} %`,
    ],
  ]);
  return result;
}

if (values["only-soak"]) {
  writeResults("soak", { soak: await soaked() });
} else if (values["only-clients"]) {
  writeResults("clients", { compared: await compared() });
} else {
  const clientRows = await compared();
  const rows = await saturation();
  printTable("saturation, parsing included: 64 streams of 500 events, or replies of one token", [
    ["mode", "threads", "events/s", "requests/s", "CPU µs/event", "µs/request", "busy", "server"],
    ...rows.map((row) => [
      row.mode,
      String(row.threads),
      row.eventsPerS.toFixed(0),
      row.requestsPerS.toFixed(0),
      row.cpuUsPerEvent?.toFixed(2) ?? "",
      row.mode === "short" ? (row.cpuUsPerRequest?.toFixed(1) ?? "") : "",
      row.busyShare.toFixed(2),
      `${row.serverCores.toFixed(2)} cores`,
    ]),
  ]);
  const parsing = parsingCosts();
  printTable("what parsing costs, without a socket, one event in one read", [
    ["events", "read µs/event", "parse µs/event"],
    ...parsing.map(({ events, readUs, parseUs }) => [
      events,
      readUs.toFixed(2),
      parseUs.toFixed(2),
    ]),
  ]);
  const open = await openStreams(server.url);
  printTable("memory of an open stream that has brought a few events", [
    ["streams", "heap and buffers kB", "resident kB"],
    [String(open.streams), (open.usedBytes / 1000).toFixed(1), (open.rssBytes / 1000).toFixed(1)],
  ]);
  writeResults("load", {
    compared: clientRows,
    saturation: rows,
    parsing,
    open,
    soak: await soaked(),
  });
}
await server.close();
