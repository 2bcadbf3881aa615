import { availableParallelism } from "node:os";
import { Command, InvalidArgumentError } from "commander";
import {
  type RooflineCase,
  type RooflineMode,
  type RooflineRow,
  roofline,
} from "../benchmarks/roofline.ts";
import { startInstantProcess } from "../engine/instant/instant-process.ts";
import { rooflineJson } from "../records/roofline-json.ts";
import { wrap } from "../report/facts-table.ts";
import { rooflineTable } from "../report/roofline-table.ts";
import { parseTarget } from "../target/parse-target.ts";
import type { Output } from "./output.ts";

interface RooflineFlags {
  readonly threads: readonly number[];
  readonly streams: readonly number[];
  readonly seconds: number;
  readonly json?: boolean;
}

const MODES: readonly RooflineMode[] = ["spread", "together", "flood", "flood-100", "short"];

/** `joulemark roofline`: what the load generator itself can take on this machine. */
export function rooflineCommand(output: Output, signal: AbortSignal): Command {
  return new Command("roofline")
    .summary("what the load generator itself can take on this machine")
    .description(
      "Loads a server that answers at once and says in each token when it was sent, over load threads and streams: events and requests per second, CPU for each, and how late the arrival stamps are. A real benchmark must stay well below these figures.",
    )
    .option("--threads <list>", "numbers of load threads, such as 1,2", counts(1, 64), [1])
    .option(
      "--streams <list>",
      "numbers of streams at once, such as 64,1000",
      counts(1, 20_000),
      [64, 1000],
    )
    .option("--seconds <s>", "about how long each case runs", caseSeconds, 5)
    .option("--json", "print one JSON object")
    .action(async (flags: RooflineFlags) => {
      const cases = casesOf(flags);
      const seconds = Math.ceil(cases.length * (flags.seconds + 1.5));
      output.note(
        `joulemark: ${cases.length} cases, about ${seconds} s; the server is a second process on this machine and takes a core of it`,
      );
      const server = await startInstantProcess({ processes: serverProcesses(flags.threads) });
      const rows: RooflineRow[] = [];
      try {
        const target = parseTarget(server.url, { model: "instant" });
        for await (const row of roofline(target, cases, signal)) {
          rows.push(row);
          output.note(`joulemark: ${rows.length} of ${cases.length} done`);
        }
      } finally {
        // Also what was measured before an interruption.
        const json = rooflineJson(rows, signal.aborted);
        if (rows.length > 0)
          output.result(flags.json ? JSON.stringify(json, null, 2) : textOf(rows, output));
        await server.close();
      }
    });
}

/** So many that the server does not reach its limit before the client, as far as there are cores. */
function serverProcesses(threads: readonly number[]): number {
  const most = Math.max(...threads);
  return Math.max(1, Math.min(availableParallelism() - most, 2 * most));
}

function casesOf({ threads, streams, seconds }: RooflineFlags): readonly RooflineCase[] {
  return threads.flatMap((count) =>
    MODES.flatMap((mode) =>
      streams.map((many) => ({ mode, threads: count, streams: many, seconds })),
    ),
  );
}

function textOf(rows: readonly RooflineRow[], output: Output): string {
  const legend =
    "late: arrival stamp minus the server's own send stamp. busy: of the busiest load thread's event loop. waited: share of the time that a thread was ready to run and had no core, since the server and whatever else runs here want the same ones; where it is large, this machine was measured, not the client. (!): not every event came.";
  return [
    rooflineTable(rows, output.resultLook.hasColour),
    "",
    ...wrap(legend, output.resultLook.width),
  ].join("\n");
}

function counts(least: number, most: number): (text: string) => readonly number[] {
  return (text) =>
    text.split(",").map((part) => {
      const value = Number(part);
      if (!/^\d+$/.test(part.trim()) || value < least || value > most)
        throw new InvalidArgumentError(
          `Give whole numbers from ${least} to ${most} with commas between.`,
        );
      return value;
    });
}

function caseSeconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.1 && value <= 3600))
    throw new InvalidArgumentError("Give seconds from 0.1 to 3600.");
  return value;
}
