import { clockOriginNs, nowMs } from "../clock.ts";
import type { LoadTimes } from "../energy/measure-averaging.ts";
import type { Ended } from "../load/messages.ts";
import { EnergyMeter, type LogLine } from "../rails/meter.ts";
import type { MeterOptions } from "../rails/meter-options.ts";
import { SensorWatch, sensorCheckLine } from "../rails/sensor-check.ts";
import type { RailEvent } from "../rails/source.ts";
import type { RunRail } from "../records/cell-rail.ts";
import type { RequestLine } from "../records/request-line.ts";
import { requestLine } from "../records/request-line-of.ts";
import type { RunEvent } from "../records/run-event.ts";
import type { RunFolder } from "../records/run-folder.ts";
import type { CellRecord, RunRecord } from "../records/run-record.ts";
import { softwareVersion } from "../records/software-version.ts";
import { type RunFacts, RunMemory } from "./run-memory.ts";
import type { RunNow } from "./run-progress.ts";
import { RunScreen } from "./run-screen.ts";

/** An event as its caller knows it; the time is the session's. */
type NewEvent = RunEvent extends infer Each
  ? Each extends RunEvent
    ? Omit<Each, "atMs">
    : never
  : never;

/** One run's files, its meter and what the screen may ask; everything that happens goes through it. */
export class RunSession {
  readonly folder: RunFolder;
  readonly meter: EnergyMeter;
  readonly segment: number;
  readonly screen: RunScreen = new RunScreen();
  #railLines = 0;
  #pendingLog: LogLine[] = [];
  #unwritten: RailEvent[] = [];
  #hasFacts = false;
  #hasToldUnwritten = false;
  readonly #memory = new RunMemory();
  readonly #sensorWatch = new SensorWatch();

  /** @param segment - 0, and one more each time that a run is resumed. */
  constructor(folder: RunFolder, meter: MeterOptions, segment: number) {
    this.folder = folder;
    this.segment = segment;
    this.meter = new EnergyMeter({
      ...meter,
      onEvent: (event) => {
        this.#unwritten.push(event);
        // What is known of a rail stands in front of its readings; it is known when it has opened.
        if (this.meter.facts !== undefined) this.#writeRail();
        meter.onEvent?.(event);
      },
    });
  }

  /** Lines of this segment in `rail.jsonl` up to now. */
  get railLines(): number {
    return this.#railLines;
  }

  /** The clock of all times that follow in the files; a resumed run has several. */
  beginSegment(): void {
    this.event({
      event: "segment",
      segment: this.segment,
      startedAt: new Date().toISOString(),
      clockOriginNs: String(clockOriginNs),
      software: softwareVersion(),
    });
    this.folder.append("rail.jsonl", { kind: "segment", segment: this.segment });
  }

  event(event: NewEvent): void {
    const timed = { atMs: nowMs(), ...event };
    this.folder.append("events.jsonl", timed);
    this.#memory.event(timed);
    if (event.event === "phase") this.screen.phase(event.phase);
  }

  log(line: LogLine): void {
    this.keep(line);
    this.#pendingLog.push(line);
  }

  /** Keeps a line of the log that is shown in another way. */
  keep(line: LogLine): void {
    this.folder.append("log.jsonl", { atMs: nowMs(), ...line });
    this.#memory.log(line);
  }

  warn(text: string): void {
    this.log({ level: "warn", text });
  }

  /** Keeps a cell that has been measured; its files tell the same. */
  cell(record: CellRecord): void {
    this.#memory.cell(record);
    this.screen.cellEnds();
  }

  /** The record of what happened up to now, where it cannot be made of the files. */
  record(facts: RunFacts): RunRecord {
    return this.#memory.record(facts, this.meter);
  }

  /** Log lines since the last call, for whoever watches the run. */
  takeLog(): readonly LogLine[] {
    this.#tellUnwritten();
    const lines = this.#pendingLog;
    this.#pendingLog = [];
    return lines;
  }

  /** Keeps one request. @returns it as it stands in the file. */
  request(ended: Ended, cell: number, phase: RequestLine["phase"]): RequestLine {
    const line = requestLine(ended, { cell, segment: this.segment, phase });
    this.folder.append("requests.jsonl", line);
    this.screen.ended(line);
    return line;
  }

  /** Opens the rail and takes the idle baseline; a run goes on without one. */
  async startMeter(target: { readonly baseUrl: URL }, signal: AbortSignal): Promise<void> {
    this.event({ event: "phase", phase: "baseline" });
    for (const line of await this.meter.start(target, { signal })) this.log(line);
    this.#writeRail();
    const { idleWindow, idleReasons, warnings, absent } = this.meter;
    this.event({
      event: "meter",
      railLines: this.#railLines,
      ...(absent === undefined ? {} : { absent }),
      ...(idleWindow === undefined ? {} : { idle: idleWindow }),
      idleReasons,
      warnings,
    });
  }

  /** Looks whether the step of a load shows the averaging time that the sensor is declared to have. */
  checkSensor(load: LoadTimes): void {
    const { sampler } = this.meter;
    if (sampler === undefined) return;
    const checks = this.#sensorWatch.look(sampler, load);
    for (const check of checks) {
      this.event({ event: "sensor_check", railLines: this.#railLines, ...check });
      if (check.verdict === "differs") sampler.noteAveraging(check.averagingMs);
    }
    const lines = checks.map((check) => sensorCheckLine(check, sampler.facts));
    // Of sensors that are as declared one line is enough.
    const agrees = lines.findIndex(({ level }) => level === "info");
    for (const [i, line] of lines.entries()) {
      if (line.level === "warn" || i === agrees) this.log(line);
    }
  }

  /** What the cells' energy is judged with. */
  get rail(): RunRail {
    const { sampler, absent, idle, idleLevels, idleReasons } = this.meter;
    return { sampler, absent, idle, idleLevels, idleReasons };
  }

  /** What goes on right now, for whoever looks at it. */
  now(): RunNow {
    const latest = this.meter.sampler?.latest() ?? [];
    const powerW = latest.reduce((sum, sample) => sum + sample.powerW, 0);
    return this.screen.now(latest.length === 0 ? undefined : powerW);
  }

  /** Ends the rail and writes down that the run has ended. */
  async end(isInterrupted: boolean): Promise<void> {
    const cost = await this.meter.stop();
    this.#writeRail();
    if (cost) this.log(cost);
    this.event({ event: "ended", isInterrupted });
  }

  /** Told once: what goes wrong with one file goes wrong with the others, and again and again. */
  #tellUnwritten(): void {
    const [first] = this.folder.failures;
    if (first === undefined || this.#hasToldUnwritten) return;
    this.#hasToldUnwritten = true;
    this.warn(
      `${this.folder.path} cannot be written at the moment (${first}): the run goes on, this is tried again, and what was measured is shown at the end`,
    );
  }

  #writeRail(): void {
    const { facts } = this.meter;
    if (facts !== undefined && !this.#hasFacts) {
      this.#hasFacts = true;
      this.#appendRail({ kind: "facts", facts });
    }
    for (const event of this.#unwritten) this.#appendRail(event);
    this.#unwritten = [];
  }

  #appendRail(line: object): void {
    this.folder.append("rail.jsonl", line);
    this.#railLines++;
  }
}
