import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { measurePeer } from "./peers/measure-peer.ts";
import { startPeerEngine } from "./peers/peer-engine.ts";
import { type PeerRound, rowOf } from "./peers/peer-row.ts";
import { printPeers } from "./peers/print-peers.ts";
import { readyPeers } from "./peers/ready-peers.ts";
import { writeResults } from "./write-results.ts";

const { values } = parseArgs({
  options: {
    /** One round, and fewer requests one after the other. */
    quick: { type: "boolean", default: false },
    /** Names of tools, with commas; default all. */
    only: { type: "string", default: "" },
    /** Requests in flight, with commas. */
    levels: { type: "string", default: "1,16,128,1000" },
    rounds: { type: "string", default: "3" },
  },
});
const levels = values.levels.split(",").map(Number);
const rounds = values.quick ? 1 : Number(values.rounds);
const LIMIT_MS = 240_000;

const { ready, absent, ...place } = await readyPeers(values.only.split(",").filter(Boolean));
const loadBefore = loadavg();
const rows = [];
for (const concurrency of levels) rows.push(...(await rowsAt(concurrency)));
const remarks = ready.flatMap(({ peer }) => peer.remarks.map((text) => `${peer.name}: ${text}`));
printPeers(rows, absent, remarks);
console.log(`  load of the machine: ${shown(loadBefore)} before, ${shown(loadavg())} after`);
writeResults("peers", { rows, absent, remarks, loadBefore, loadAfter: loadavg() });

/** All peers in turns, each round in another order, so that what disturbs one disturbs all. */
async function rowsAt(concurrency: number) {
  const requests = requestsAt(concurrency);
  const roundsOf = new Map<string, PeerRound[]>(ready.map(({ peer }) => [peer.name, []]));
  for (let round = 0; round < roundsAt(concurrency); round++) {
    const engine = await startPeerEngine(concurrency);
    for (const one of rotated(ready, round)) {
      const options = { ...place, limitMs: LIMIT_MS };
      const result = await measurePeer(one, engine, concurrency, requests, options);
      roundsOf.get(one.peer.name)!.push(result);
      const took = result.state === "ran" ? `${result.wallS.toFixed(1)} s` : result.why;
      console.log(`${concurrency} in flight, round ${round + 1}, ${one.peer.name}: ${took}`);
    }
    await engine.close();
  }
  return ready.map(({ peer }) => rowOf(peer.name, concurrency, requests, roundsOf.get(peer.name)!));
}

function requestsAt(concurrency: number): number {
  return Math.max(values.quick ? 8 : 32, (values.quick ? 2 : 4) * concurrency);
}

/** One after the other takes long, and so do thousands; the medians of both are steady. */
function roundsAt(concurrency: number): number {
  return concurrency === 1 || concurrency > 256 ? 1 : rounds;
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const first = by % Math.max(1, list.length);
  return [...list.slice(first), ...list.slice(0, first)];
}

function shown(averages: readonly number[]): string {
  return averages.map((average) => average.toFixed(1)).join(" ");
}
