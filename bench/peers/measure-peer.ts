import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Engine } from "../../src/engine/start-engine.ts";
import type { Peer, PeerCase, PeerReport } from "./peer.ts";
import { ENGINE_MODEL, OUTPUT_TOKENS, PROMPT_TOKENS } from "./peer-engine.ts";
import type { PeerRound } from "./peer-row.ts";
import type { TreeSample } from "./process-tree.ts";
import { type PeerRun, runPeer } from "./run-peer.ts";
import { truthOf } from "./truth-of.ts";

/** A peer that can be run here. */
export interface ReadyPeer {
  readonly peer: Peer;
  readonly binDir: string;
}

/** What all runs have in common. */
export interface PeerPlace {
  readonly homeDir: string;
  readonly tokenizerDir: string;
  readonly limitMs: number;
}

/** Runs a peer once, and holds what it says against what the engine knows. */
export async function measurePeer(
  { peer, binDir }: ReadyPeer,
  engine: Engine,
  concurrency: number,
  requests: number,
  { homeDir, tokenizerDir, limitMs }: PeerPlace,
): Promise<PeerRound> {
  const dir = await mkdtemp(join(tmpdir(), "joulemark-peer-"));
  try {
    const one: PeerCase = {
      url: engine.url,
      model: ENGINE_MODEL,
      concurrency,
      requests,
      promptTokens: PROMPT_TOKENS,
      outputTokens: OUTPUT_TOKENS,
      dir,
      tokenizerDir,
    };
    const loadAverage = loadavg()[0]!;
    const { env, ...command } = peer.command(one, binDir);
    const home = { HOME: homeDir, TMPDIR: dir };
    const run = await runPeer({ ...command, env: { ...home, ...env } }, dir, limitMs);
    if (run.failure !== undefined) return { state: "failed", why: run.failure };
    return await roundOf(run, peer.report(one, run.stdout), engine, loadAverage);
  } catch (error) {
    return { state: "failed", why: `its results cannot be read: ${(error as Error).message}` };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function roundOf(
  { startedMs, endedMs, cpuS, samples }: PeerRun,
  reported: PeerReport,
  engine: Engine,
  loadAverage: number,
): Promise<PeerRound> {
  const all = await engine.truth.replies();
  const replies = all.filter(({ arrivedMs }) => arrivedMs >= startedMs && arrivedMs <= endedMs);
  const truth = truthOf(replies, reported.requests, OUTPUT_TOKENS);
  if (truth === undefined) {
    return { state: "failed", why: `no reply of ${OUTPUT_TOKENS} tokens was asked for` };
  }
  return {
    state: "ran",
    reported,
    truth,
    cpuS,
    startUpCpuS: cpuBefore(samples, truth.firstArrivedMs),
    peakMb: Math.max(...samples.map(({ peakMb }) => peakMb)),
    firstRequestS: (truth.firstArrivedMs - startedMs) / 1000,
    wallS: (endedMs - startedMs) / 1000,
    loadAverage,
  };
}

function cpuBefore(samples: readonly TreeSample[], atMs: number): number {
  return samples.findLast((sample) => sample.atMs <= atMs)?.cpuS ?? 0;
}
