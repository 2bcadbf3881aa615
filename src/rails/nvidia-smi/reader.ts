import type { ChildProcess } from "node:child_process";
import { nowMs } from "../../clock.ts";
import { parseLine } from "../../energy/parse-line.ts";
import type { PowerSample } from "../../energy/power-sample.ts";
import type { SamplerCost } from "../../energy/sampler-cost.ts";
import type { RailDevice, RailEvent } from "../source.ts";
import { cpuSecondsOf, cpuSecondsOfThisThread } from "./child-cost.ts";
import { killChild, signalGroup, waitForEnd } from "./end-child.ts";
import { shown } from "./explain-output.ts";
import { LineSplitter } from "./line-splitter.ts";
import { cannotStart } from "./one-shot.ts";
import { spawnOwnGroup } from "./own-group.ts";
import { StallWatch } from "./stall-watch.ts";
import { whileBusy } from "./while-busy.ts";

/** What the reader of the long-lived child needs to know; plain data, so that it can cross threads. */
export interface ReaderOptions {
  readonly path: string;
  readonly columns: readonly string[];
  readonly periodMs: number;
  /** The devices whose readings count. */
  readonly devices: readonly RailDevice[];
  /** Whether other devices are to be left out of the query. */
  readonly isSubset: boolean;
}

/** A reading above so many power limits is none: real peaks stay below two. */
const MOST_LIMITS = 4;

/** The same, in watts, for a device whose limit is not known. */
const MOST_W = 100_000;

/** The last lines of stderr that are kept to explain a death. */
const STDERR_TAIL = 2000;

/** Reads the long-lived nvidia-smi, line by line, and tells what happens. */
export class NvidiaSmiReader {
  readonly #options: ReaderOptions;
  readonly #emit: (event: RailEvent) => void;
  readonly #child: ChildProcess;
  readonly #lines = new LineSplitter();
  readonly #watch: StallWatch;
  readonly #startedMs = nowMs();
  #samples = 0;
  #rejectedLines = 0;
  #lastRejected = "";
  #stderr = "";
  #isStopping = false;

  private constructor(options: ReaderOptions, emit: (event: RailEvent) => void) {
    this.#options = options;
    this.#emit = emit;
    this.#watch = new StallWatch(
      options.devices.map(({ id }) => id),
      options.periodMs,
      (device) =>
        emit({
          kind: "stalled",
          atMs: nowMs(),
          ...(device === undefined ? {} : { device }),
          why: this.#silence(),
        }),
    );
    this.#child = spawnOwnGroup(options.path, argumentsOf(options));
  }

  /** Starts the child; whatever happens from then on is an event. */
  static start(options: ReaderOptions, emit: (event: RailEvent) => void): Promise<NvidiaSmiReader> {
    return whileBusy(() => {
      const reader = new NvidiaSmiReader(options, emit);
      reader.#listen();
      return reader;
    });
  }

  /** Ends the child: politely, then not, and never waits for ever. */
  async stop(): Promise<SamplerCost> {
    this.#isStopping = true;
    this.#watch.stop();
    const cost = this.#cost();
    await killChild(this.#child);
    this.#emit({ kind: "stopped", atMs: nowMs(), cost });
    return cost;
  }

  #listen(): void {
    const { stdout, stderr, pid } = this.#child;
    if (pid !== undefined) this.#emit({ kind: "started", atMs: nowMs(), pid });
    stdout?.on("data", (bytes: Buffer) => this.#read(bytes));
    // Drained all the time: a full pipe would block the child.
    stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_TAIL);
    });
    waitForEnd(this.#child, (error, code, signal) => {
      this.#watch.stop();
      if (this.#isStopping) return;
      // A wrapper can end and leave what it started running.
      signalGroup(this.#child.pid, "SIGKILL");
      const why = error
        ? cannotStart(this.#options.path, error).message
        : `nvidia-smi ended by itself (${signal === null ? `exit code ${code}` : `killed by ${signal}`})${this.#evidence()}`;
      this.#emit({ kind: "ended", atMs: nowMs(), why });
    });
  }

  #read(bytes: Buffer): void {
    // Before anything else: what follows must not be in the stamp.
    const atMs = nowMs();
    const { lines, tooLong } = this.#lines.push(bytes.toString("latin1"));
    const samples: PowerSample[] = [];
    const rejected = tooLong.map((start) => `${start}… (too long)`);
    for (const line of lines) {
      if (line.trim() === "" || this.#isHeader(line)) continue;
      const sample = this.#identified(parseLine(line, atMs, this.#options.columns), line);
      if (sample) samples.push(sample);
      else rejected.push(line);
    }
    this.#samples += samples.length;
    this.#rejectedLines += rejected.length;
    this.#lastRejected = rejected.at(-1) ?? this.#lastRejected;
    this.#watch.saw(samples, atMs);
    if (samples.length > 0 || rejected.length > 0)
      this.#emit({ kind: "read", atMs, samples, rejected });
  }

  /** A header is printed again when nvidia-smi is asked without `noheader`; it is no fault. */
  #isHeader(line: string): boolean {
    return (
      line.startsWith(`${this.#options.columns[0]} [`) ||
      line.startsWith(`${this.#options.columns[0]},`)
    );
  }

  /** The reading under the id of its device; nothing for a device that is not read, or cannot be. */
  #identified(sample: PowerSample | undefined, line: string): PowerSample | undefined {
    if (sample === undefined) return undefined;
    const { devices } = this.#options;
    const place = placeOf(sample.device, this.#indexCell(line), devices);
    const device = devices[place];
    if (device === undefined) return undefined;
    // A torn line that was glued to another can still have the right shape, but not such a value.
    const { powerLimitW } = device;
    const mostW = powerLimitW === undefined ? MOST_W : MOST_LIMITS * powerLimitW;
    if (sample.powerW > mostW) return undefined;
    return { ...sample, device: device.id };
  }

  #indexCell(line: string): string | undefined {
    return line.split(",")[this.#options.columns.indexOf("index")]?.trim();
  }

  #silence(): string {
    return `no reading for too long${this.#evidence()}`;
  }

  #evidence(): string {
    const parts: string[] = [];
    const count = this.#rejectedLines;
    if (count > 0)
      parts.push(
        `${count} ${count === 1 ? "line" : "lines"} rejected, the last one “${shown(this.#lastRejected, 200)}”`,
      );
    const stderr = shown(this.#stderr.slice(-300), 300);
    if (stderr !== "") parts.push(`stderr “${stderr}”`);
    return parts.length === 0 ? "" : `; ${parts.join("; ")}`;
  }

  #cost(): SamplerCost {
    const { pid } = this.#child;
    const cpuS = pid === undefined ? undefined : cpuSecondsOf(pid);
    const readerCpuS = cpuSecondsOfThisThread();
    return {
      ...(cpuS === undefined ? {} : { cpuS }),
      ...(readerCpuS === undefined ? {} : { readerCpuS }),
      wallS: (nowMs() - this.#startedMs) / 1000,
      samples: this.#samples,
      rejectedLines: this.#rejectedLines,
    };
  }
}

/** Which device a line is of, by its uuid, else by its index; -1 for none that is read. */
function placeOf(
  named: string | undefined,
  index: string | undefined,
  devices: readonly RailDevice[],
): number {
  if (named === undefined) return devices.length === 1 ? 0 : -1;
  const byName = devices.findIndex(({ id }) => id === named);
  if (byName >= 0) return byName;
  // Without a uuid now, or then: the index decides. A line with another uuid is another device.
  return named === index
    ? devices.findIndex((device) => String(device.index) === index)
    : devices.findIndex(({ id }) => id === index);
}

function argumentsOf({ columns, periodMs, devices, isSubset }: ReaderOptions): readonly string[] {
  return [
    `--query-gpu=${columns.join(",")}`,
    "--format=csv,noheader,nounits",
    ...(isSubset ? ["-i", devices.map(({ id }) => id).join(",")] : []),
    "-lms",
    String(periodMs),
  ];
}
