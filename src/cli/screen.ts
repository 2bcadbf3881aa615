import type { RunningBenchmark, RunProgress } from "../benchmarks/run-progress.ts";
import { cellLine } from "../report/cell-line.ts";
import { roughDuration } from "../report/duration.ts";
import { PHASE_WORDS } from "../report/live-lines.ts";
import { LiveScreen } from "./live-screen.ts";
import { logText } from "./log-text.ts";
import type { Output } from "./output.ts";

/** What people see while a benchmark runs; it shows the run and never changes it. */
export interface Screen {
  show(progress: RunProgress): void;
  say(text: string): void;
  close(): void;
}

/** The screen that fits: moving on a terminal, plain lines elsewhere, nothing where quiet. */
export function openScreen(output: Output, isQuiet: boolean, running: RunningBenchmark): Screen {
  if (isQuiet) return { show: () => undefined, say: () => undefined, close: () => undefined };
  return output.live === undefined
    ? plainScreen(output)
    : new LiveScreen(output.live, output.noteLook, running);
}

/** One line for each phase that takes time, and for each cell. */
function plainScreen(output: Output): Screen {
  const { width } = output.noteLook;
  const say = (text: string): void => output.note(logText({ level: "info", text }, width));
  let done = 0;
  let cells = 0;
  return {
    say,
    close: () => undefined,
    show(progress) {
      if (progress.kind === "started") cells = progress.header.cells.length;
      else if (progress.kind === "log") output.note(logText(progress.line, width));
      else if (progress.kind === "cell")
        say(`${++done} of ${cells} · ${cellLine(progress.record)}`);
      else if (progress.kind === "phase") {
        const words = phaseText(progress);
        if (words !== undefined) say(words);
      }
    },
  };
}

/** Quiet times that everyone can wait for without a word, in s. */
const SHORT_S = 5;

function phaseText({
  phase,
  cell,
  aboutS,
}: Extract<RunProgress, { kind: "phase" }>): string | undefined {
  if (phase === "settle" && (aboutS === undefined || aboutS < SHORT_S)) return undefined;
  const where = cell === undefined ? "" : `${cell.label}: `;
  const time = aboutS === undefined ? "" : `, about ${roughDuration(aboutS)}`;
  return `${where}${PHASE_WORDS[phase]}${time}`;
}
