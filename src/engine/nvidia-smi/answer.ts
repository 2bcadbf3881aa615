import { parseArguments, type SmiArguments } from "./arguments.ts";
import { readCapturedText } from "./capture.ts";
import { chooseDevices } from "./choose-devices.ts";
import { computeAppTicks, gpuList } from "./listings.ts";
import { Output } from "./output.ts";
import { playbackTicks } from "./playback-ticks.ts";
import { printTicks } from "./print-ticks.ts";
import { processTicks } from "./process-ticks.ts";
import { rawTicks } from "./raw-ticks.ts";
import type { ReadyScenario } from "./read-scenario.ts";
import type { WholeOutput } from "./scenario.ts";
import { seededRandom } from "./seeded-random.ts";
import { simulatedTicks } from "./simulated-ticks.ts";
import type { TickSource } from "./tick.ts";

/**
 * Answers one call of the program as its scenario says.
 *
 * @param isAbandoned - whether the scenario is gone, and with it whoever wanted the answer.
 * @returns the exit code; never, where a loop is only ended from outside.
 * @throws {SmiRefusal} for what a real program would refuse too.
 */
export async function answer(
  argv: readonly string[],
  scenario: ReadyScenario,
  isAbandoned: () => boolean,
): Promise<number> {
  const { faults = [], timing, logFile, wholeOutput } = scenario;
  if (scenario.ignoreSigterm) process.on("SIGTERM", () => {});
  if (wholeOutput) return printWhole(wholeOutput, new Output({ logFile, isLoop: false }));
  const asked = parseArguments(argv);
  const isLoop = asked.periodMs !== undefined;
  const plan = {
    nextPeriodMs: asked.periodMs === undefined ? undefined : periods(asked.periodMs, scenario),
    mostTicks: asked.mostTicks,
    firstTickMs: isLoop ? timing.firstTickMs : 0,
    perDeviceMs: timing.perDeviceMs,
    perTickFlush: timing.perTickFlush,
    hasHeader: asked.format.hasHeader,
    eol: scenario.eol && (scenario.eol === "crlf" ? "\r\n" : "\n"),
    faults: isLoop ? faults : faults.filter((fault) => fault.oneShotToo),
    isAbandoned,
  } as const;
  return printTicks(ticksFor(asked, scenario), plan, new Output({ logFile, isLoop }));
}

function printWhole({ text, file, exitCode, stream }: WholeOutput, output: Output): number {
  const whole = text ?? readCapturedText(file ?? "", "utf8");
  if (stream === "stderr") output.printError(whole);
  else output.print(whole);
  return exitCode;
}

function ticksFor(asked: SmiArguments, scenario: ReadyScenario): TickSource {
  const { query, format, ids, periodMs } = asked;
  const { playback } = scenario;
  const devices = chooseDevices(scenario.devices, ids);
  if (query.kind === "list") return gpuList(devices);
  if (query.kind === "processes") return processTicks(scenario, devices);
  const gpuQuery = { fields: query.fields, devices, hasUnits: format.hasUnits };
  if (query.kind === "compute-apps") return computeAppTicks(scenario, gpuQuery);
  if (playback?.raw && periodMs !== undefined) return rawTicks(playback);
  if (playback && !playback.raw) return playbackTicks(scenario, playback, gpuQuery);
  return simulatedTicks(scenario, gpuQuery, () => performance.now());
}

/** The sleep that was asked for, and what the query itself costs; a tick never catches up. */
function periods(askedMs: number, { playback, timing }: ReadyScenario): () => number {
  const { intervalMs } = playback ?? {};
  if (intervalMs !== undefined) return () => intervalMs;
  const random = seededRandom(timing.seed);
  const [leastMs, mostMs] = timing.jitterMs;
  return () => askedMs + leastMs + (mostMs - leastMs) * random();
}
