import { printTable } from "../print-table.ts";
import type { PeerRow } from "./peer-row.ts";

/** A peer that was not run, and why. */
export interface AbsentPeer {
  readonly name: string;
  readonly why: string;
}

const HEAD = [
  "in flight",
  "tool",
  "TTFT p50 ms",
  "%",
  "TPOT p50 ms",
  "%",
  "tok/s %",
  "came in flight",
  "engine late p99 ms",
  "CPU ms/request",
  "of it load",
  "peak MB",
  "first request s",
];

const NOTES = [
  "TTFT is true from the moment the engine has read a request; what lay unread meanwhile (a burst of",
  "new requests on an engine that is late) is in every tool's TTFT: there, compare the tools.",
  "CPU is that of all processes of a tool from its start to its end; memory the sum of their peaks.",
];

/** One table for all, and in words below it what could not be run, and what differs. */
export function printPeers(
  rows: readonly PeerRow[],
  absent: readonly AbsentPeer[],
  remarks: readonly string[],
): void {
  printTable("errors of what the tools report against the engine's own send times, with sign", [
    HEAD,
    ...rows.map((row) => [
      String(row.concurrency),
      row.peer,
      signed(row.ttftErrorMs, 1, 2),
      signed(row.ttftErrorShare, 100, 1),
      signed(row.tpotErrorMs, 1, 3),
      signed(row.tpotErrorShare, 100, 2),
      signed(row.throughputErrorShare, 100, 1),
      plain(row.mostInFlight, 0),
      plain(row.engineLateP99Ms, 1),
      plain(row.cpuMsPerRequest, 1),
      plain(row.loadCpuMsPerRequest, 1),
      plain(row.peakMb, 0),
      plain(row.firstRequestS, 1),
    ]),
  ]);
  const failed = rows.flatMap(({ peer, concurrency, why }) =>
    why === undefined ? [] : [`${peer} at ${concurrency}: ${why}`],
  );
  const missing = absent.map(({ name, why }) => `${name} was not run: ${why}`);
  for (const line of [...failed, ...missing, ...remarks, ...NOTES]) console.log(`  ${line}`);
}

function signed(value: number | undefined, factor: number, digits: number): string {
  if (value === undefined) return "";
  const text = (value * factor).toFixed(digits);
  return text.startsWith("-") ? text : `+${text}`;
}

function plain(value: number | undefined, digits: number): string {
  return value?.toFixed(digits) ?? "";
}
