import type { Command } from "commander";
import type { BenchmarkOptions } from "../benchmarks/benchmark-options.ts";
import type { RunParameters } from "../records/run-header.ts";
import { parseTarget } from "../target/parse-target.ts";
import type { Target } from "../target/target.ts";
import { type AccessFlags, type BenchmarkFlags, FLAGS_OF_THE_SCREEN } from "./benchmark-flags.ts";
import { readConfigFile, readRunFlags } from "./config-file.ts";
import { applyValues, isGiven } from "./config-values.ts";
import { meterOptions } from "./options.ts";
import { settleSeconds } from "./settle-flags.ts";
import { UsageError } from "./usage-error.ts";

/**
 * The flags of a command, those of a file or of the run that is resumed included. Those on the line
 * win, then the environment, then the file, then the defaults.
 *
 * @throws {UsageError}
 */
export function resolveFlags<Flags extends BenchmarkFlags>(command: Command): Flags {
  const { config, resume } = command.opts<Flags>();
  if (config !== undefined && resume !== undefined)
    throw new UsageError(
      `--resume ${resume} has the flags of its run already: leave --config ${config} out`,
    );
  if (config !== undefined) applyValues(command, readConfigFile(config));
  if (resume !== undefined) applyRun(command, resume);
  return command.opts<Flags>();
}

/** A run goes on as it began: a flag that says otherwise is an error, not a wish. */
function applyRun(command: Command, run: string): void {
  const given = new Map(
    command.options
      .filter((option) => isGiven(command, option) && !MAY_DIFFER.includes(option.name()))
      .map((option) => [option.name(), command.getOptionValue(option.attributeName()) as unknown]),
  );
  const flags = readRunFlags(run, command.name());
  for (const [name, value] of given) {
    const before = flags.values[name];
    if (shown(value) !== shown(before))
      throw new UsageError(
        `--${name} ${shown(value)} is not what the run ${run} was started with (${shown(before)}): leave it out, or start another run without --resume`,
      );
  }
  applyValues(command, flags);
}

/** Where the target is may be told again, since secrets in it are kept nowhere. */
const MAY_DIFFER = [
  ...FLAGS_OF_THE_SCREEN,
  "target",
  "api-key-env",
  "api-key-file",
  "header-env",
  "extra-body",
];

function shown(value: unknown): string {
  if (value === undefined) return "not given";
  const plain = plainValue(value);
  return Array.isArray(plain) ? plain.join(",") : String(plain);
}

/** The endpoint; `undefined` when none was named. @throws {JoulemarkError} `bad_option` */
export function targetOf(flags: AccessFlags): Target | undefined {
  const { target, model, endpoint, apiKeyEnv, apiKeyFile, headerEnv, caFile, insecure } = flags;
  if (target === undefined) return undefined;
  return parseTarget(target, {
    ...(model === undefined ? {} : { model }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(apiKeyEnv === undefined ? {} : { apiKeyEnv }),
    ...(apiKeyFile === undefined ? {} : { apiKeyFile }),
    ...(headerEnv === undefined ? {} : { headerEnv }),
    ...(caFile === undefined ? {} : { caFile }),
    ...(insecure === undefined ? {} : { insecure }),
  });
}

/** What every benchmark is told. @throws {UsageError} without a target. */
export function benchmarkOptions(
  command: Command,
  flags: BenchmarkFlags,
  { seed, repeat }: Pick<BenchmarkOptions, "seed" | "repeat">,
): BenchmarkOptions {
  const target = targetOf(flags);
  if (target === undefined)
    throw new UsageError(
      "--target is missing: give the URL of the endpoint, such as --target http://127.0.0.1:8000, or set JOULEMARK_TARGET",
    );
  const settle = settleSeconds(command);
  const { extraBody, baseline, railLocal, resume, threads, timeout } = flags;
  const settleMs = settle === undefined ? {} : { settleMs: settle * 1000 };
  return {
    target,
    load: {
      threads,
      timeoutMs: timeout * 1000,
      endpoint: target.endpoint,
      ...(extraBody === undefined ? {} : { extraBody }),
    },
    meter: {
      ...meterOptions(flags),
      ...settleMs,
      ...(baseline === undefined ? {} : { idleMs: baseline * 1000 }),
      ...(railLocal === undefined ? {} : { isLocal: railLocal === "yes" }),
    },
    requireEnergy: flags.requireEnergy === true,
    ...settleMs,
    seed,
    out: flags.out,
    repeat,
    ...(resume === undefined ? {} : { resume }),
    parameters: parametersOf(command, target, seed),
  };
}

/** Every flag as it was resolved, in the words of a config file; no secret is in it. */
function parametersOf(command: Command, target: Target, seed: number): RunParameters {
  const flags = command.options
    .filter((option) => !FLAGS_OF_THE_SCREEN.includes(option.name()))
    .map((option): [string, unknown] => {
      const value: unknown = command.getOptionValue(option.attributeName());
      return [option.name(), plainValue(value)];
    });
  const resolved = {
    ...Object.fromEntries(flags.filter(([, value]) => value !== undefined)),
    target: target.toJSON().baseUrl,
    endpoint: target.endpoint,
    ...(command.options.some((option) => option.name() === "seed") ? { seed } : {}),
  };
  return withoutSecrets(resolved, target) as RunParameters;
}

function withoutSecrets(value: unknown, target: Target): unknown {
  if (typeof value === "string") return target.redact(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, target));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withoutSecrets(one, target)]),
  );
}

/** A value as a config file would have it: a warm-up in its own notation, all else as it is. */
function plainValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if ("rounds" in value) return value.rounds;
  if ("seconds" in value) return `${String(value.seconds)}s`;
  return value;
}
