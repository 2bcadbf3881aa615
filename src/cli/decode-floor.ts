import { Command, Option } from "commander";
import { decodeFloorTable } from "../report/decode-floor-table.ts";
import { type BenchmarkFlags, benchmarkFlags } from "./benchmark-flags.ts";
import { endWith } from "./exit-code.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Jobs } from "./jobs.ts";
import type { Output } from "./output.ts";
import { positive, whole } from "./parse-values.ts";
import { benchmarkOptions, resolveFlags } from "./resolve-flags.ts";
import { runBenchmark } from "./run-benchmark.ts";
import { showPlan } from "./show-plan.ts";

interface DecodeFloorFlags extends BenchmarkFlags {
  readonly runs: number;
  readonly maxTokens: number;
  readonly minTokS?: number;
  readonly requireSpeculation?: boolean;
}

const FLAGS: readonly Option[] = [
  new Option("--runs <n>", "timed runs; their median is the rate")
    .default(3)
    .argParser(whole(1, 1000)),
  new Option("--max-tokens <n>", "length of the answer; below half of it a run is inconclusive")
    .default(1500)
    .argParser(whole(2, 1_000_000)),
  new Option(
    "--min-tok-s <rate>",
    "the floor: exit code 1 when the rate is below it (default: it is measured and not judged)",
  ).argParser(positive("60")),
  new Option("--require-speculation", "exit code 4 when a run accepted no draft token"),
];

/** Part of the benchmark, as the prompt is. */
const SEED = 0;

/** `joulemark decode-floor`: the pinned decode rate of a single user, and whether it holds. */
export function decodeFloorCommand(output: Output, interrupts: Interrupts, jobs: Jobs): Command {
  const command = new Command("decode-floor")
    .summary("the pinned decode rate of a single user, and whether it holds a floor")
    .description(
      "Times one committed code prompt with a single request in flight, temperature 0 and thinking off: the median decode rate, its energy, and with --min-tok-s the verdict PASS, FAIL or INCONCLUSIVE (exit codes 0, 1, 4).",
    );
  for (const flag of benchmarkFlags(FLAGS)) command.addOption(flag);
  return command.action(async () => {
    endWith(await run(command, output, interrupts, jobs));
  });
}

async function run(
  command: Command,
  output: Output,
  interrupts: Interrupts,
  jobs: Jobs,
): Promise<number> {
  const flags = resolveFlags<DecodeFloorFlags>(command);
  const { runs, maxTokens, minTokS, requireSpeculation = false } = flags;
  if (flags.plan) {
    const cells = jobs.planDecodeFloor({ runs, maxTokens });
    return showPlan({ benchmark: "decode-floor", cells }, command, flags, output);
  }
  const options = {
    ...benchmarkOptions(command, flags, { seed: SEED, repeat: 1 }),
    runs,
    maxTokens,
    requireSpeculation,
    ...(minTokS === undefined ? {} : { minTokS }),
  };
  const running = jobs.decodeFloor(options, interrupts.signal);
  return runBenchmark(running, { table: decodeFloorTable, flags }, output, interrupts);
}
