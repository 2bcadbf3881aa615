import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { measureCommand } from "../benchmarks/measure.ts";
import { clockOriginNs } from "../clock.ts";
import { installStandIn } from "../engine/nvidia-smi/install-stand-in.ts";
import { stepsTruthJ } from "../engine/steps-truth.ts";
import type { MeasureResult } from "../records/measure-result.ts";
import { wrap } from "../report/facts-table.ts";
import { joules, percent } from "../report/figures.ts";
import { measureTable } from "../report/measure-table.ts";
import type { Interrupts } from "./interrupts.ts";
import { logText } from "./log-text.ts";
import type { Output } from "./output.ts";

const JOB = fileURLToPath(new URL("../engine/simulated-job.js", import.meta.url));
const JOB_S = 6;
const JOB_W = 410;
const IDLE_W = 92;

/** `joulemark demo`: the energy system at work on a simulated GPU, on any machine. */
export function demoCommand(output: Output, interrupts: Interrupts): Command {
  return new Command("demo")
    .summary("the energy system at work on a SIMULATED GPU, on any machine, in 15 s")
    .description(
      "Runs a simulated job on a simulated GPU, reads its power through a stand-in nvidia-smi just as a real one is read, and holds the result against what really went in.",
    )
    .action(async () => {
      const standIn = await installStandIn({
        devices: [
          {
            index: 0,
            uuid: "GPU-00000000-0000-0000-0000-00000000demo",
            name: "SIMULATED GPU",
            powerLimitW: 700,
            power: { kind: "steps-file", path: "steps.jsonl", idleW: IDLE_W, noiseW: 0.4 },
          },
        ],
      });
      try {
        const stepsPath = join(standIn.dir, "steps.jsonl");
        output.note("Everything below is SIMULATED: no GPU of this machine is read.\n");
        const result = await measureCommand(
          {
            command: process.execPath,
            args: [JOB, stepsPath, String(JOB_S), String(JOB_W), String(IDLE_W)],
            stdoutToStderr: true,
            meter: { rail: "nvidia-smi", nvidiaSmiPath: standIn.path },
          },
          {
            onLog: (line) => output.note(logText(line, output.noteLook.width)),
            onCommand: (phase) => interrupts.leaveTo(phase === "started" ? "the command" : "us"),
          },
          interrupts.signal,
        );
        const named = { ...result, command: "a simulated job" };
        output.result(`\n${measureTable(named, output.resultLook)}\n`);
        const { startMs, endMs } = result.end;
        const truthJ = stepsTruthJ(stepsPath, clockOriginNs, IDLE_W, startMs, endMs);
        output.result(`${truthText(result, truthJ, output.resultLook.width)}\n\n${NEXT}`);
        process.exitCode = result.end.exitCode;
      } finally {
        await standIn.remove();
      }
    });
}

function truthText({ window }: MeasureResult, truthJ: number, width: number): string {
  const truth = `SIMULATED truth: ${joules(truthJ)} really went into the window (the area under the simulated power curve).`;
  if (window.state === "refused") return wrap(truth, width).join("\n");
  const error = window.energyJ / truthJ - 1;
  const sign = error < 0 ? "−" : "+";
  const gap = `The plain integral of the readings says ${joules(window.energyJ)} (${sign}${percent(Math.abs(error), 1)}), since each reading is the mean of the second before it. docs/method.md tells the whole story.`;
  return wrap(`${truth} ${gap}`, width).join("\n");
}

const NEXT = [
  "Next, on a machine with an NVIDIA GPU:",
  "  joulemark rails                      which rails can be read here, and why not",
  "  joulemark measure -- COMMAND ARGS…   the joules of any command",
  "(from a clone: node dist/cli/main.js in place of joulemark)",
].join("\n");
