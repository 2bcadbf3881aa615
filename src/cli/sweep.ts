import { randomInt } from "node:crypto";
import { Command, Option } from "commander";
import type { Warmup } from "../benchmarks/benchmark-options.ts";
import { planSweep } from "../benchmarks/plan-sweep.ts";
import { sweepTable } from "../report/sweep-table.ts";
import { type BenchmarkFlags, benchmarkFlags } from "./benchmark-flags.ts";
import { endWith } from "./exit-code.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Jobs } from "./jobs.ts";
import type { Output } from "./output.ts";
import { positiveSeconds, warmup, whole, wholeList } from "./parse-values.ts";
import { benchmarkOptions, resolveFlags } from "./resolve-flags.ts";
import { runBenchmark } from "./run-benchmark.ts";
import { showPlan } from "./show-plan.ts";
import { UsageError } from "./usage-error.ts";

interface SweepFlags extends BenchmarkFlags {
  readonly concurrency: readonly number[];
  readonly inputTokens: readonly number[];
  readonly outputTokens: readonly number[];
  readonly requests?: number;
  readonly duration?: number;
  readonly warmup: Warmup;
  readonly cache: "cold" | "warm";
  readonly seed?: number;
  readonly repeat: number;
}

const MOST_TOKENS = 10_000_000;
const MOST_AT_ONCE = 100_000;
/** Seeds that every server takes: 31 bits. */
const SEEDS = 2 ** 31 - 1;

const FLAGS: readonly Option[] = [
  new Option("--concurrency <list>", "how many requests are in flight, one cell each")
    .default([1, 2, 4, 8, 16, 32], "1,2,4,8,16,32")
    .argParser(wholeList(1, MOST_AT_ONCE, "1,2,4,8")),
  new Option("--input-tokens <list>", "lengths of the prompts, each with every concurrency")
    .default([128], "128")
    .argParser(wholeList(1, MOST_TOKENS, "128,1024")),
  new Option("--output-tokens <list>", "lengths of the answers, each with every input length")
    .default([128], "128")
    .argParser(wholeList(1, MOST_TOKENS, "64,256")),
  new Option(
    "--requests <n>",
    "requests of each cell (default: 4 × its concurrency, at least 8)",
  ).argParser(whole(1, MOST_TOKENS)),
  new Option("--duration <s>", "length of each cell in seconds, in place of --requests").argParser(
    positiveSeconds,
  ),
  new Option("--warmup <rounds|s>", "unmeasured load before each cell: rounds (1) or a time (5s)")
    .default({ rounds: 1 }, "1")
    .argParser(warmup),
  new Option("--cache <state>", "whether the server has seen the prompts of a cell before")
    .choices(["cold", "warm"])
    .default("cold"),
  new Option(
    "--seed <n>",
    "makes the same prompts again (default: a new one for each run, which the record tells)",
  ).argParser(whole(0, SEEDS)),
  new Option("--repeat <n>", "how many times every cell is measured")
    .default(1)
    .argParser(whole(1, 1000)),
];

/** `joulemark sweep`: latency, throughput and energy over input lengths and concurrency. */
export function sweepCommand(output: Output, interrupts: Interrupts, jobs: Jobs): Command {
  const command = new Command("sweep")
    .summary(
      "milliseconds and joules per token over lengths of prompts and answers and concurrency",
    )
    .description(
      "Measures an endpoint in cells, one for each input length, output length and concurrency: warm-up, quiet time, the measured window. Says what each token takes in time and in energy, and why wherever a figure is refused. With at least two input and two output lengths the joules of prefill and decode are told apart.",
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
  const flags = resolveFlags<SweepFlags>(command);
  const { requests, duration } = oneEnd(flags, command);
  const { concurrency, inputTokens, outputTokens, cache } = flags;
  checkRequests(requests, concurrency);
  const cellsOf = {
    concurrency,
    inputTokens,
    outputTokens,
    cache,
    ...(requests === undefined ? {} : { requests }),
    ...(duration === undefined ? {} : { durationS: duration }),
  };
  const { repeat, seed = randomInt(SEEDS) } = flags;
  if (flags.plan) {
    const cells = planSweep({ ...cellsOf, repeat });
    return showPlan({ benchmark: "sweep", cells, warmup: flags.warmup }, command, flags, output);
  }
  const options = {
    ...benchmarkOptions(command, flags, { seed, repeat }),
    ...cellsOf,
    warmup: flags.warmup,
  };
  const running = jobs.sweep(options, interrupts.signal);
  return runBenchmark(running, { table: sweepTable, flags }, output, interrupts);
}

/** A cell ends by requests or by time; the one on the line wins over the one of a file. */
function oneEnd(
  { requests, duration }: SweepFlags,
  command: Command,
): { readonly requests?: number; readonly duration?: number } {
  if (requests === undefined || duration === undefined)
    return {
      ...(requests === undefined ? {} : { requests }),
      ...(duration === undefined ? {} : { duration }),
    };
  const [a, b] = ["requests", "duration"].map((name) => command.getOptionValueSource(name));
  if (a === b)
    throw new UsageError(
      `--requests ${requests} and --duration ${duration} both end a cell: give one of them`,
    );
  if (b === "cli") command.setOptionValue("requests", undefined);
  else command.setOptionValue("duration", undefined);
  return b === "cli" ? { duration } : { requests };
}

/** A cell with fewer requests than are to be in flight would not be what its name says. */
function checkRequests(requests: number | undefined, concurrency: readonly number[]): void {
  const most = Math.max(...concurrency);
  if (requests === undefined || requests >= most) return;
  throw new UsageError(
    `--requests ${requests} is fewer than the ${most} that --concurrency wants in flight at once: give at least ${most}, or a lower concurrency`,
  );
}
