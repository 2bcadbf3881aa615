/** How many words come to a number of tokens, found by asking. */
export type FoundLength =
  | {
      readonly state: "found";
      readonly words: number;
      /** What was counted for several prompts of that length. */
      readonly counts: readonly number[];
      readonly tokensPerWord: number;
      readonly overheadTokens: number;
    }
  | { readonly state: "unknown"; readonly words: number; readonly why: string };

/** Counts another prompt of so many words each time; `undefined` when the count is not told. */
export type Probe = (words: number) => Promise<number | undefined>;

interface Point {
  readonly words: number;
  readonly tokens: number;
}

/** Several prompts of one length. */
interface Counted {
  readonly words: number;
  readonly counts: readonly number[];
}

/** Short enough for any context window, far enough apart to show what a word adds. */
const FIRST_WORDS = 8;
const SECOND_WORDS = 48;
const MAX_STEPS = 8;

/** A length is tried with so many prompts: one alone may not be typical. */
const CHECKS = 4;
const MAX_ROUNDS = 3;

/** Where merges cross spaces, a longer prompt may count a few tokens less. */
const NOISE_TOKENS = 16;

const STOPPED = "the server stopped telling how many tokens a prompt has";

/**
 * Finds the length whose count is nearest to the target: a line through two short prompts, then
 * steps along it, held between the longest prompt known to be too short and the shortest too long,
 * and at last a few prompts of the length found, which move it where they lie off on average.
 */
export async function searchLength(targetTokens: number, probe: Probe): Promise<FoundLength> {
  // Without a count a word is taken for a token, and nothing is claimed about it.
  const unknown = (why: string): FoundLength => ({ state: "unknown", words: targetTokens, why });

  const first = await probe(FIRST_WORDS);
  const second = first === undefined ? undefined : await probe(SECOND_WORDS);
  if (first === undefined || second === undefined) {
    return unknown("the server does not tell how many tokens a prompt has");
  }
  if (second <= first) {
    return unknown(
      `the server's count does not grow with the prompt: ${FIRST_WORDS} words are ${first} tokens, ${SECOND_WORDS} words ${second}`,
    );
  }
  const points = [
    { words: FIRST_WORDS, tokens: first },
    { words: SECOND_WORDS, tokens: second },
  ];
  const nearest = await approach(targetTokens, points, probe);
  if (typeof nearest === "string") return unknown(nearest);
  const line = lineThrough(points);
  const settled = await settle(targetTokens, nearest, line.tokensPerWord, probe);
  return settled ? { state: "found", ...settled, ...line } : unknown(STOPPED);
}

/** The nearest of what it saw, which it adds to `points`; a text says why there is none. */
async function approach(
  targetTokens: number,
  points: Point[],
  probe: Probe,
): Promise<Point | string> {
  for (let step = 0; step < MAX_STEPS; step++) {
    const words = nextLength(targetTokens, points);
    if (words === undefined) break;
    const tokens = await probe(words);
    if (tokens === undefined) return STOPPED;
    const longest = points.reduce((max, point) => (point.words > max.words ? point : max));
    const expectedGrowth = (words - longest.words) * lineThrough(points).tokensPerWord;
    if (expectedGrowth > NOISE_TOKENS && tokens <= longest.tokens) {
      return `the server's count stops growing at ${longest.tokens} tokens: ${words} words are ${tokens}`;
    }
    points.push({ words, tokens });
  }
  return points.reduce((best, point) =>
    distance(point.tokens, targetTokens) < distance(best.tokens, targetTokens) ? point : best,
  );
}

/** The next length to ask about; `undefined` when one is off by no more than a word. */
function nextLength(targetTokens: number, points: readonly Point[]): number | undefined {
  const { tokensPerWord } = lineThrough(points);
  if (points.some(({ tokens }) => distance(tokens, targetTokens) <= tokensPerWord)) {
    return undefined;
  }
  const short = points.filter(({ tokens }) => tokens < targetTokens).map(({ words }) => words);
  const long = points.filter(({ tokens }) => tokens > targetTokens).map(({ words }) => words);
  const least = Math.max(0, ...short) + 1;
  const most = Math.min(Infinity, ...long) - 1;
  if (least > most) return undefined;

  const from = points.at(-1)!;
  const guess = Math.round(from.words + (targetTokens - from.tokens) / tokensPerWord);
  return Math.min(most, Math.max(least, guess));
}

/** The line through the shortest and the longest prompt seen. */
function lineThrough(points: readonly Point[]): { tokensPerWord: number; overheadTokens: number } {
  const sorted = points.toSorted((a, b) => a.words - b.words);
  const [low, high] = [sorted[0]!, sorted.at(-1)!];
  const tokensPerWord = (high.tokens - low.tokens) / (high.words - low.words);
  return { tokensPerWord, overheadTokens: low.tokens - tokensPerWord * low.words };
}

/** Moves the length until its prompts lie around the target; the best of what was tried. */
async function settle(
  targetTokens: number,
  start: Point,
  tokensPerWord: number,
  probe: Probe,
): Promise<Counted | undefined> {
  let best: Counted | undefined;
  let { words } = start;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const counts: number[] = [];
    for (let i = 0; i < CHECKS; i++) {
      const tokens = await probe(words);
      if (tokens === undefined) return undefined;
      counts.push(tokens);
    }
    if (!best || worst(counts, targetTokens) < worst(best.counts, targetTokens)) {
      best = { words, counts };
    }
    const mean = counts.reduce((sum, tokens) => sum + tokens, 0) / counts.length;
    const shift = Math.round((targetTokens - mean) / tokensPerWord);
    if (distance(mean, targetTokens) <= 1 || shift === 0 || words + shift < 1) break;
    words += shift;
  }
  return best;
}

function worst(counts: readonly number[], targetTokens: number): number {
  return Math.max(...counts.map((tokens) => distance(tokens, targetTokens)));
}

function distance(tokens: number, targetTokens: number): number {
  return Math.abs(tokens - targetTokens);
}
