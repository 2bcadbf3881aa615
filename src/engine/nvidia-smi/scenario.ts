import type { TenantLoad } from "../power/tenant.ts";

/**
 * What the stand-in `nvidia-smi` pretends to be: its GPUs, its driver, its faults.
 *
 * A scenario is a JSON file; relative paths in it start at the folder that holds it.
 */
export interface Scenario {
  /** In the order in which rows are printed. */
  readonly devices: readonly ScenarioDevice[];
  /** Default `"590.48.01"`. */
  readonly driverVersion?: string;
  /** Fields as asked, a prefix that ends in `*`, or `pmon`, which this driver does not know. */
  readonly refusedFields?: readonly string[];
  readonly computeApps?: readonly ComputeApp[];
  readonly timing?: ScenarioTiming;
  /** Default `"lf"`; a played file with CRLF is played with CRLF unless this says otherwise. */
  readonly eol?: "lf" | "crlf";
  readonly faults?: readonly Fault[];
  /** Stays alive on SIGTERM from the start. */
  readonly ignoreSigterm?: boolean;
  /** Whatever is asked: this is all that is ever printed, then the program exits. */
  readonly wholeOutput?: WholeOutput;
  readonly playback?: Playback;
  /**
   * JSONL file that gets `{"atNs","line","isLoop"}` for every line printed, just after it; the
   * time, on the machine's monotonic clock, is from just before.
   */
  readonly logFile?: string;
}

/** One GPU of a scenario. */
export interface ScenarioDevice {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  /** Both limits; the software power cap is `Active` while the true power is at or above it. */
  readonly powerLimitW?: number;
  readonly migMode?: "Enabled" | "Disabled";
  readonly power: PowerModel;
  /** Other programs on this GPU; what they draw is added to `power` and never counts as capped. */
  readonly tenants?: readonly ScenarioTenant[];
  /** Trailing window of `power.draw.average`, default 1000. */
  readonly averagingMs?: number;
  /** Trailing window of `power.draw`, default that of `power.draw.average`. */
  readonly powerDrawMs?: number;
  /** All power readings change only this often, default 100. */
  readonly updateMs?: number;
  /** Trailing window of `power.draw.instant`, default 100. */
  readonly instantMs?: number;
  /** Power readings are multiples of this, default 0.01, which is all that is printed. */
  readonly quantumW?: number;
  /** Fixed cell texts by field, before anything else, such as `{"power.draw.average": "[N/A]"}`. */
  readonly cells?: Readonly<Record<string, string>>;
}

/** The true power of one GPU over time, of which its sensor shows trailing means. */
export type PowerModel =
  | { readonly kind: "constant"; readonly powerW: number }
  | StepsModel
  | StepsFileModel
  | ClockModel;

/** Steps in milliseconds since the process started; the first one also holds before its time. */
export interface StepsModel {
  readonly kind: "steps";
  readonly steps: readonly { readonly atMs: number; readonly powerW: number }[];
  /** Half-width of a uniform error that is drawn anew at each update of the sensor, default 0. */
  readonly noiseW?: number;
}

/**
 * Steps that another program appends to a JSONL file: `{"atNs":"<hrtime ns>","powerW":1.5}`.
 *
 * A third key, `"cappedUs"`, may say how long the GPU has been capped in all until then. It is what
 * keeps the counter right for a program that starts late, since of a long file only the last
 * 256 kB are read.
 */
export interface StepsFileModel {
  readonly kind: "steps-file";
  /**
   * May not exist yet. It is read on from where the last tick stopped; when another file is renamed
   * to its place, the rest of the old one is read and then what is newer in the new one.
   */
  readonly path: string;
  /** Before the first step. */
  readonly idleW: number;
  readonly noiseW?: number;
}

/** "Watts" that are the milliseconds since `originNs` (hrtime), taken right at the write. */
export interface ClockModel {
  readonly kind: "clock";
  readonly originNs: string;
}

/** What another program draws on a GPU. */
export interface ScenarioTenant {
  readonly load: TenantLoad;
  /** The instant, on the machine's monotonic clock, at which a period of its wave begins. */
  readonly originNs: string;
  /** The process that it is, as `computeApps` lists it. */
  readonly pid?: number;
}

/** A process that holds a GPU. */
export interface ComputeApp {
  readonly gpuUuid: string;
  readonly pid: number;
  readonly processName?: string;
  readonly usedMemoryMib?: number;
  /** What `pmon` says of its work; default what its tenant's load tells, `-` where it has none. */
  readonly smPercent?: number;
}

/** How far the loop is from a perfect clock. */
export interface ScenarioTiming {
  /** Added to each period asked, uniform between the two, default `[5, 50]`. */
  readonly jitterMs?: readonly [number, number];
  /** The rows of one tick are read this far apart, default 0; real boxes take up to 15. */
  readonly perDeviceMs?: number;
  /** Before the first row of a loop, default 0. */
  readonly firstTickMs?: number;
  /** Of jitter and noise, default 1. */
  readonly seed?: number;
  /** Rows of one tick are written together at its end (default), or each as it is read. */
  readonly perTickFlush?: boolean;
}

/** A text, or the content of a file, printed as it is. */
export interface WholeOutput {
  readonly text?: string;
  readonly file?: string;
  readonly exitCode: number;
  /** Default `"stdout"`, where the real program prints its errors. */
  readonly stream?: "stdout" | "stderr";
}

/** Rows from a file that a real `nvidia-smi` printed. */
export interface Playback {
  readonly file: string;
  /** Names for a file without a header line. */
  readonly columns?: readonly string[];
  /** Default 1. */
  readonly rowsPerTick?: number;
  /** Captured rows left out at the beginning, default 0. */
  readonly skipRows?: number;
  /** Starts over after the last row instead of going silent. */
  readonly loop?: boolean;
  /** The whole period, without jitter, in place of the one asked. */
  readonly intervalMs?: number;
  /** The loop prints the file's own bytes; one-shot queries are answered from `devices`. */
  readonly raw?: boolean;
}

/** Where in a run a fault begins. */
interface FaultStart {
  /** Ticks that are printed well before it; 0 is from the start. */
  readonly afterTicks: number;
  /** Also in one-shot queries, which are one tick; by default only the loop has faults. */
  readonly oneShotToo?: boolean;
}

interface PassingFault extends FaultStart {
  /** Ticks that it lasts; absent: for ever. */
  readonly forTicks?: number;
}

/** Ends the program. The texts are printed as they are. */
export interface DieFault extends FaultStart {
  readonly kind: "die";
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** Alive, but prints nothing. */
export interface HangFault extends PassingFault {
  readonly kind: "hang";
  readonly ignoreSigterm?: boolean;
}

/** `lose-device` prints `[GPU is lost]` in every cell, `drop-device` no row, `freeze` old watts. */
export interface DeviceFault extends PassingFault {
  readonly kind: "lose-device" | "drop-device" | "freeze";
  readonly index: number;
}

/** Lines that are no rows, behind the rows of each tick or in their place. */
export interface RubbishFault extends PassingFault {
  readonly kind: "rubbish";
  readonly lines: readonly string[];
  readonly instead?: boolean;
}

/**
 * `half-line` stops in the middle of a tick's last row and goes silent; `glue` prints half of the
 * former row and the new one on one line; `other-columns` adds a cell to each row.
 */
export interface LineFault extends PassingFault {
  readonly kind: "half-line" | "glue" | "other-columns";
}

/** Holds ticks back and writes this many at once. */
export interface BunchFault extends PassingFault {
  readonly kind: "bunch";
  readonly ticks: number;
}

/** Prints nothing for a while, once. */
export interface PauseFault extends FaultStart {
  readonly kind: "pause";
  readonly pauseMs: number;
}

/** Writes bytes without ever ending the line. */
export interface EndlessLineFault extends FaultStart {
  readonly kind: "endless-line";
  /** Default 1,000,000. */
  readonly bytesPerS?: number;
}

export type Fault =
  | DieFault
  | HangFault
  | DeviceFault
  | RubbishFault
  | LineFault
  | BunchFault
  | PauseFault
  | EndlessLineFault;
