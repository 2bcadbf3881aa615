import { median } from "../median.ts";
import type { PeerReport } from "./peer.ts";
import type { PeerTruth } from "./truth-of.ts";

/** One run of one peer at one concurrency. */
export type PeerRound =
  | {
      readonly state: "ran";
      readonly reported: PeerReport;
      readonly truth: PeerTruth;
      readonly cpuS: number;
      /** Of them, those before its first request came to the engine. */
      readonly startUpCpuS: number;
      readonly peakMb: number;
      readonly firstRequestS: number;
      readonly wallS: number;
      readonly loadAverage: number;
    }
  | { readonly state: "failed"; readonly why: string };

/** Medians over the rounds; what the peer does not report is absent. */
export interface PeerRow {
  readonly peer: string;
  readonly concurrency: number;
  readonly requests: number;
  readonly ttftErrorMs?: number;
  readonly ttftErrorShare?: number;
  readonly tpotErrorMs?: number;
  readonly tpotErrorShare?: number;
  readonly throughputErrorShare?: number;
  readonly mostInFlight?: number;
  readonly engineLateP99Ms?: number;
  readonly cpuMsPerRequest?: number;
  /** Of them, those after the first request had come. */
  readonly loadCpuMsPerRequest?: number;
  readonly peakMb?: number;
  readonly firstRequestS?: number;
  /** Why it has no figures, or not of all rounds. */
  readonly why?: string;
  readonly rounds: readonly PeerRound[];
}

type RanRound = Extract<PeerRound, { state: "ran" }>;

/** The row of a peer's rounds at one concurrency. */
export function rowOf(
  peer: string,
  concurrency: number,
  requests: number,
  rounds: readonly PeerRound[],
): PeerRow {
  const ran = rounds.filter((round) => round.state === "ran");
  const why = rounds.map((round) => problemOf(round, requests)).find((text) => text !== undefined);
  return {
    peer,
    concurrency,
    requests,
    ...(ran.length === 0 ? {} : figuresOf(ran)),
    ...(why === undefined ? {} : { why }),
    rounds,
  };
}

function problemOf(round: PeerRound, asked: number): string | undefined {
  if (round.state === "failed") return round.why;
  const { requests } = round.reported;
  return requests < asked ? `reports ${requests} of ${asked} requests` : undefined;
}

function figuresOf(ran: readonly RanRound[]): Partial<PeerRow> {
  const of = (pick: (round: RanRound) => number | undefined): number | undefined => {
    const values = ran.map(pick).filter((value) => value !== undefined);
    return values.length === 0 ? undefined : median(values);
  };
  const figures = {
    ttftErrorMs: of(({ reported, truth }) => minus(reported.ttftP50Ms, truth.ttftP50Ms)),
    ttftErrorShare: of(({ reported, truth }) => off(reported.ttftP50Ms, truth.ttftP50Ms)),
    tpotErrorMs: of(({ reported, truth }) => minus(reported.tpotP50Ms, truth.tpotP50Ms)),
    tpotErrorShare: of(({ reported, truth }) => off(reported.tpotP50Ms, truth.tpotP50Ms)),
    throughputErrorShare: of(({ reported, truth }) =>
      off(reported.outputTokensPerS, truth.outputTokensPerS),
    ),
    mostInFlight: of(({ truth }) => truth.mostInFlight),
    engineLateP99Ms: of(({ truth }) => truth.lateP99Ms),
    cpuMsPerRequest: of(({ cpuS, truth }) => (cpuS * 1000) / truth.requests),
    loadCpuMsPerRequest: of(
      ({ cpuS, startUpCpuS, truth }) => ((cpuS - startUpCpuS) * 1000) / truth.requests,
    ),
    peakMb: of(({ peakMb }) => peakMb),
    firstRequestS: of(({ firstRequestS }) => firstRequestS),
  };
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => value !== undefined));
}

function minus(reported: number | undefined, truth: number): number | undefined {
  return reported === undefined ? undefined : reported - truth;
}

function off(reported: number | undefined, truth: number): number | undefined {
  return reported === undefined ? undefined : reported / truth - 1;
}
