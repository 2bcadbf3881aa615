#!/usr/bin/env node
import { existsSync } from "node:fs";
import { JoulemarkError } from "../../errors.ts";
import { answer } from "./answer.ts";
import { Output } from "./output.ts";
import { readScenario } from "./read-scenario.ts";
import { SmiRefusal } from "./refusal.ts";

const SCENARIO_VARIABLE = "JOULEMARK_STAND_IN";
const BAD_USAGE_EXIT_CODE = 2;

process.exit(await main(process.argv.slice(2), process.env[SCENARIO_VARIABLE]));

/** @returns the exit code. */
async function main(argv: readonly string[], scenarioPath: string | undefined): Promise<number> {
  const output = new Output({ isLoop: false });
  if (!scenarioPath) {
    output.printError(
      `This is joulemark's stand-in for nvidia-smi: set ${SCENARIO_VARIABLE} to its scenario file.\n`,
    );
    return BAD_USAGE_EXIT_CODE;
  }
  try {
    return await answer(argv, readScenario(scenarioPath), () => !existsSync(scenarioPath));
  } catch (error) {
    if (error instanceof SmiRefusal) {
      output.print(error.message);
      return error.exitCode;
    }
    if (!(error instanceof JoulemarkError)) throw error;
    output.printError(`${error.message}\n`);
    return BAD_USAGE_EXIT_CODE;
  }
}
