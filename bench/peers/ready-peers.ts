import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { aiperf } from "./aiperf.ts";
import { guidellm } from "./guidellm.ts";
import { inferencePerf } from "./inference-perf.ts";
import { joulemark } from "./joulemark.ts";
import { llamaBenchy } from "./llama-benchy.ts";
import { makeTokenizer } from "./make-tokenizer.ts";
import { makeVenv, peersDir } from "./make-venv.ts";
import type { ReadyPeer } from "./measure-peer.ts";
import type { AbsentPeer } from "./print-peers.ts";

const ALL = [joulemark, aiperf, guidellm, inferencePerf, llamaBenchy];

/** The peers that can be run here, and the others. */
export interface ReadyPeers {
  readonly ready: readonly ReadyPeer[];
  readonly absent: readonly AbsentPeer[];
  readonly tokenizerDir: string;
  /** The home that they find: what a tool keeps between its runs is not the user's. */
  readonly homeDir: string;
}

/** Installs what is not installed yet. @param only - names of peers; empty for all. */
export async function readyPeers(only: readonly string[]): Promise<ReadyPeers> {
  const ready: ReadyPeer[] = [];
  const absent: AbsentPeer[] = [];
  for (const peer of ALL) {
    if (only.length > 0 && !only.includes(peer.name)) continue;
    try {
      ready.push({ peer, binDir: peer.tool === undefined ? "" : await makeVenv(peer.tool) });
    } catch (error) {
      absent.push({ name: peer.name, why: (error as Error).message });
    }
  }
  const homeDir = join(peersDir, "home");
  await mkdir(homeDir, { recursive: true });
  const binDirs = ready.flatMap(({ binDir }) => (binDir === "" ? [] : [binDir]));
  const tokenizerDir = await makeTokenizer(binDirs);
  if (tokenizerDir !== undefined) return { ready, absent, tokenizerDir, homeDir };
  const why = "no virtual environment has the `tokenizers` package to make a tokenizer with";
  return {
    ready: ready.filter(({ peer }) => peer.tool === undefined),
    absent: [
      ...absent,
      ...ready.flatMap(({ peer }) => (peer.tool === undefined ? [] : [{ name: peer.name, why }])),
    ],
    tokenizerDir: "",
    homeDir,
  };
}
