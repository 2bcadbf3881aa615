/** The key that was probably meant, or `undefined` when none is near enough. */
export function nearestKey(given: string, keys: Iterable<string>): string | undefined {
  let nearest: string | undefined;
  // A third of it may be wrong: of a short word, two letters leave nothing that was meant.
  let leastEdits = Math.max(1, Math.floor(given.length / 3)) + 1;
  for (const key of keys) {
    const lastPart = key.slice(key.lastIndexOf(".") + 1);
    const edits = Math.min(editsBetween(given, key), editsBetween(given, lastPart));
    if (edits >= leastEdits) continue;
    leastEdits = edits;
    nearest = key;
  }
  return nearest;
}

/** How many letters have to be put in, taken out or replaced (Levenshtein); case does not matter. */
function editsBetween(from: string, to: string): number {
  const source = from.toLowerCase();
  const target = to.toLowerCase();
  let row = Array.from({ length: target.length + 1 }, (_, i) => i);
  for (let i = 0; i < source.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < target.length; j++) {
      const replaced = row[j]! + (source[i] === target[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row[target.length]!;
}
