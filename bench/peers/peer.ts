/** The load that every peer is asked for. */
export interface PeerCase {
  /** Of the engine, without `/v1`. */
  readonly url: string;
  readonly model: string;
  /** Requests in flight, all the time. */
  readonly concurrency: number;
  readonly requests: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** A folder of this run alone, for what the peer reads and writes. */
  readonly dir: string;
  /** A Hugging Face tokenizer that splits text as the engine does. */
  readonly tokenizerDir: string;
}

/** What a peer says it measured; what it does not tell is absent. */
export interface PeerReport {
  /** Requests that its figures are about. */
  readonly requests: number;
  readonly ttftP50Ms?: number;
  /** (last token − first token)/(n − 1) of a request, whatever the peer calls it. */
  readonly tpotP50Ms?: number;
  readonly outputTokensPerS?: number;
}

/** A program to run. */
export interface PeerCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** What Python installs for a peer. */
export interface PythonTool {
  /** As the index has it. */
  readonly name: string;
  readonly version: string;
  /** Least minor version of Python 3 that it runs on. */
  readonly python3Minor: number;
}

/** One tool that loads an endpoint and says how fast it was. */
export interface Peer {
  readonly name: string;
  /** Absent for what needs no Python. */
  readonly tool?: PythonTool;
  /** How its load differs from what was asked, in words for people. */
  readonly remarks: readonly string[];
  /** @param binDir - the programs of its virtual environment. */
  command(one: PeerCase, binDir: string): PeerCommand;
  /** Reads what it wrote. @throws {Error} where it wrote nothing that can be read. */
  report(one: PeerCase, stdout: string): PeerReport;
}
