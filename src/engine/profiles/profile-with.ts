import { JoulemarkError } from "../../errors.ts";
import type { EngineProfile } from "./engine-profile.ts";
import { nearestKey } from "./nearest-key.ts";
import { POWER_PREFIX, settingRules } from "./setting-rules.ts";
import type { GivenValue } from "./value-rules.ts";

/**
 * The profile with some of its values changed.
 *
 * @param changes - by key, as text or typed; keys of the power profile stand behind `power.`.
 * @throws {JoulemarkError} `bad_option`, with all that is wrong at once.
 */
export function profileWith(
  profile: EngineProfile,
  changes: Readonly<Record<string, GivenValue>>,
): EngineProfile {
  const problems: string[] = [];
  const engine: Record<string, GivenValue> = {};
  const power: Record<string, GivenValue> = {};
  const unknownKeys = Object.keys(changes).filter((key) => !settingRules.has(key));
  for (const [key, rule] of settingRules) {
    if (!Object.hasOwn(changes, key)) continue;
    const value = rule.read(changes[key]!);
    if (value === undefined) problems.push(`${key}=${changes[key]} is not ${rule.wanted}`);
    else if (key.startsWith(POWER_PREFIX)) power[key.slice(POWER_PREFIX.length)] = value;
    else engine[key] = value;
  }
  const changed = { ...profile, ...engine, power: { ...profile.power, ...power } };
  if (problems.length === 0) problems.push(...contradictions(changed));
  problems.unshift(...unknownKeys.map(unknownText));
  if (unknownKeys.length > 0) problems.push(`the keys are ${[...settingRules.keys()].join(", ")}`);
  if (problems.length > 0) {
    throw new JoulemarkError("bad_option", `bad engine settings: ${problems.join("; ")}`);
  }
  return changed;
}

function unknownText(key: string): string {
  const meant = nearestKey(key, settingRules.keys());
  return `there is no ${key}${meant === undefined ? "" : `, did you mean ${meant}?`}`;
}

/** What each value alone does not show. */
function contradictions({ contextTokens, kvTokens, power }: EngineProfile): string[] {
  const problems: string[] = [];
  if (contextTokens > kvTokens)
    problems.push(
      `kvTokens=${kvTokens} has no room for one context: it must be ≥ contextTokens=${contextTokens}`,
    );
  if (power.limitW < power.idleW)
    problems.push(
      `power.limitW=${power.limitW} cannot be held: it must be ≥ power.idleW=${power.idleW}`,
    );
  return problems;
}
