import { styleText } from "node:util";
import type { RunningBenchmark, RunProgress } from "../benchmarks/run-progress.ts";
import { nowMs } from "../clock.ts";
import { cellLine } from "../report/cell-line.ts";
import type { Look } from "../report/facts-table.ts";
import { liveLines } from "../report/live-lines.ts";
import { hanging } from "../report/table-parts.ts";
import { LiveBlock } from "./live-block.ts";
import { logText } from "./log-text.ts";
import type { LiveTerminal } from "./output.ts";
import { RunClock } from "./run-clock.ts";

/** Time between two pictures, in ms. */
const PICTURE_MS = 200;

/** A display that moves: two lines about now; what has been measured scrolls up as plain lines. */
export class LiveScreen {
  readonly #terminal: LiveTerminal;
  readonly #look: Look;
  readonly #running: RunningBenchmark;
  readonly #block: LiveBlock;
  readonly #clock = new RunClock();
  readonly #timer: NodeJS.Timeout;
  readonly #forgetResize: () => void;
  readonly #atExit = (): void => this.#block.clear();
  #done = 0;

  constructor(terminal: LiveTerminal, look: Look, running: RunningBenchmark) {
    this.#terminal = terminal;
    this.#look = look;
    this.#running = running;
    this.#block = new LiveBlock(terminal);
    this.#timer = setInterval(() => this.#draw(), PICTURE_MS);
    this.#timer.unref();
    this.#forgetResize = terminal.onResize(() => this.#draw());
    process.once("exit", this.#atExit);
    this.#draw();
  }

  show(progress: RunProgress): void {
    this.#clock.note(progress, nowMs());
    if (progress.kind === "log") this.#block.say(logText(progress.line, this.#width));
    else if (progress.kind === "cell") {
      const place = `${++this.#done}/${this.#running.now().cells}`;
      const line = hanging(`${place} · ${cellLine(progress.record)}`, this.#width);
      this.#block.say(line.join("\n"));
    }
    this.#draw();
  }

  say(text: string): void {
    this.#block.say(logText({ level: "info", text }, this.#width));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#forgetResize();
    this.#block.clear();
    process.off("exit", this.#atExit);
  }

  /** A full last column makes some terminals begin another row. */
  get #width(): number {
    return Math.max(1, Math.min(this.#look.width, this.#terminal.columns() - 1));
  }

  #draw(): void {
    const now = this.#running.now();
    const lines = liveLines(this.#clock.facts(now, nowMs()), this.#width);
    this.#block.draw(
      this.#look.hasColour
        ? lines.map((line, i) =>
            styleText(i === 0 ? "cyan" : "dim", line, { validateStream: false }),
          )
        : lines,
    );
  }
}
