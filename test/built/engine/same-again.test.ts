import { type Engine, startEngine } from "joulemark";
import { describe, expect, test } from "vitest";

/**
 * Steps of 80 ms: a host that is up to 80 ms late changes nothing. Requests that come within 300 ms
 * begin together. Noise, and a limit that stretches steps by what is drawn over it. No warming: a
 * GPU that has idled for a microsecond more is colder by a billionth, and so is its power.
 */
const options = {
  profile: "tiny",
  seed: 42,
  set: {
    stepBaseMs: 80,
    gatherMs: 300,
    draftTokens: 2,
    naturalReplyTokens: 8,
    "power.limitW": 152,
    "power.noise": 0.05,
    "power.thermalDrift": 0,
  },
};

interface Answer {
  readonly id: string;
  readonly text: string;
  readonly usage: unknown;
}

interface TruthReply {
  readonly replyId: string;
  readonly arrivedNs: string;
  readonly dueNs: readonly string[];
  readonly tokens: readonly number[];
}

/** What has to be the same, each in the order of the questions. */
interface Seen {
  readonly texts: readonly string[];
  readonly usages: readonly unknown[];
  readonly tokens: readonly (readonly number[])[];
  /** From each token event to the next, as scheduled. */
  readonly stepsNs: readonly (readonly bigint[])[];
  /** From each reply's first step to its last token. */
  readonly energiesJ: readonly number[];
}

async function ask(engine: Engine, index: number): Promise<Answer> {
  const body = {
    prompt: `question ${index}`,
    max_tokens: 14,
    // The order of those that come at once is not ours: what they get shall not depend on it.
    seed: index,
    stream: true,
    stream_options: { include_usage: true },
  };
  const response = await fetch(`${engine.url}/v1/completions`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  const events = (await response.text())
    .split("\n\n")
    .filter((event) => event.startsWith("data: {"))
    .map((event) => JSON.parse(event.slice(6)) as { id: string; choices: { text: string }[] });
  const { usage } = events.at(-1) as unknown as Answer;
  const text = events.map(({ choices }) => choices[0]?.text ?? "").join("");
  return { id: events[0]!.id, text, usage };
}

/** What a new engine does with this load; once more, where this machine held its GPUs up. */
async function seenOf(
  load: (engine: Engine) => Promise<readonly Answer[]>,
  gatherMs = options.set.gatherMs,
): Promise<Seen> {
  for (let attempt = 1; ; attempt++) {
    const engine = await startEngine({ ...options, set: { ...options.set, gatherMs } });
    try {
      const answers = await load(engine);
      const { steps } = (await get(engine, "/engine")) as { steps: { slips: number } };
      if (steps.slips === 0 || attempt === 5) return await seen(engine, answers, gatherMs);
    } finally {
      await engine.close();
    }
  }
}

async function seen(engine: Engine, answers: readonly Answer[], gatherMs: number): Promise<Seen> {
  const { replies } = (await get(engine, "/truth/replies")) as { replies: TruthReply[] };
  const inOrder = answers.map(({ id }) => replies.find(({ replyId }) => replyId === id)!);
  const energies = inOrder.map(async ({ dueNs }) => {
    // The first that comes to an idle engine begins the time in which it gathers.
    const first = replies.find((other) => other.dueNs[0] === dueNs[0])!;
    const startNs = BigInt(first.arrivedNs) + BigInt(gatherMs) * 1_000_000n;
    const interval = `start_ns=${startNs}&end_ns=${dueNs.at(-1)}`;
    return ((await get(engine, `/truth/energy?${interval}`)) as { servingJ: number }).servingJ;
  });
  return {
    texts: answers.map(({ text }) => text),
    usages: answers.map(({ usage }) => usage),
    tokens: inOrder.map(({ tokens }) => tokens),
    stepsNs: inOrder.map(({ dueNs }) =>
      dueNs.slice(1).map((ns, i) => BigInt(ns) - BigInt(dueNs[i]!)),
    ),
    energiesJ: await Promise.all(energies),
  };
}

async function get({ url }: Engine, path: string): Promise<unknown> {
  return (await fetch(`${url}${path}`)).json();
}

function expectSame(one: Seen, other: Seen): void {
  const { energiesJ, ...rest } = one;
  const { energiesJ: otherJ, ...otherRest } = other;
  expect(otherRest).toEqual(rest);
  for (const [i, energyJ] of energiesJ.entries()) {
    expect(Math.abs(otherJ[i]! / energyJ - 1)).toBeLessThan(1e-9);
  }
  // It is worth comparing: replies of several steps, which the limit has stretched differently.
  const steps = one.stepsNs.flat();
  expect(steps.length).toBeGreaterThan(8);
  expect(new Set(steps).size).toBeGreaterThan(2);
}

describe("the same seed and the same requests in the same order, on two engines", () => {
  test("with pauses of any length before each request: the same", async () => {
    const load = async (engine: Engine): Promise<Answer[]> => {
      const answers: Answer[] = [];
      for (let i = 0; i < 6; i++) {
        await new Promise((resolve) =>
          setTimeout(resolve, Math.random() * (i % 2 === 0 ? 60 : 400)),
        );
        answers.push(await ask(engine, i));
      }
      return answers;
    };
    // Pauses that are shorter than 100 ms, and others: what is drawn goes with the steps alone.
    expectSame(await seenOf(load, 3), await seenOf(load, 3));
  });

  test("one after the other: the same texts, tokens, schedule to the ns, and joules", async () => {
    const load = async (engine: Engine): Promise<Answer[]> => {
      const answers: Answer[] = [];
      for (let i = 0; i < 3; i++) answers.push(await ask(engine, i));
      return answers;
    };
    expectSame(await seenOf(load), await seenOf(load));
  });

  test("eight at once: the same, when they come within the time in which it gathers", async () => {
    const load = (engine: Engine): Promise<Answer[]> =>
      Promise.all(Array.from({ length: 8 }, (_, i) => ask(engine, i)));
    expectSame(await seenOf(load), await seenOf(load));
  });
});
