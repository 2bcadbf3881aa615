import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { JoulemarkError } from "../../errors.ts";
import { scenarioProblems } from "../nvidia-smi/read-scenario.ts";
import { type EngineRail, installEngineRail } from "../rail/install-engine-rail.ts";
import type { EngineRailOptions } from "../rail/rail-options.ts";
import { railDevices, railScenario } from "../rail/rail-scenario.ts";

/** In each stand-in, and in no other `nvidia-smi`. */
const STAND_IN_MARK = "JOULEMARK_STAND_IN";

/**
 * Installs the rail of an engine, and never over a real `nvidia-smi`.
 *
 * @throws {JoulemarkError} `bad_option` for a box or a folder that cannot be.
 */
export async function openRail(options: EngineRailOptions): Promise<EngineRail> {
  refuseBadScenario(options);
  const { dir } = options;
  if (dir !== undefined) await refuseRealProgram(dir);
  try {
    return await installEngineRail(options);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (dir === undefined || cause instanceof JoulemarkError || code === undefined) throw cause;
    const problem = `the stand-in nvidia-smi cannot be put into ${dir} (${message}); name a folder that can be written to`;
    throw new JoulemarkError("bad_option", problem, { cause });
  }
}

/** The stand-in would only say so when it is first asked. */
function refuseBadScenario(options: EngineRailOptions): void {
  const scenario = railScenario(options, railDevices(options), options.power.limitW);
  const problems = scenarioProblems(scenario);
  if (problems.length === 0) return;
  throw new JoulemarkError("bad_option", `simulated GPUs: ${problems.join("; ")}`);
}

async function refuseRealProgram(dir: string): Promise<void> {
  const path = join(dir, "nvidia-smi");
  const text = await readFile(path, "latin1").catch(() => "");
  if (text === "" || text.includes(STAND_IN_MARK)) return;
  const problem = `${path} is there already and is no stand-in; name a folder without one`;
  throw new JoulemarkError("bad_option", problem);
}
