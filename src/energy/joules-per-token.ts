/**
 * Joules that one token cost.
 *
 * Ratios do not add: to join windows, add their joules and their tokens and divide once.
 *
 * @returns `undefined` unless `tokens` > 0 and `energyJ` is finite and > 0.
 */
export function joulesPerToken(
  energyJ: number | undefined,
  tokens: number | undefined,
): number | undefined {
  if (energyJ === undefined || tokens === undefined) return undefined;
  if (!(tokens > 0) || !Number.isFinite(tokens)) return undefined;
  if (!(energyJ > 0) || !Number.isFinite(energyJ)) return undefined;
  return energyJ / tokens;
}
