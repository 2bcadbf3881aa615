import { describe, expect, test } from "vitest";
import { parseArguments } from "../../../src/engine/nvidia-smi/arguments.ts";

const ASKED = ["--query-gpu=index", "--format=csv"];

describe("parseArguments", () => {
  test("the sampler's own command line", () => {
    const argv = "--query-gpu=power.draw.average,index --format=csv,noheader,nounits -lms 250";
    expect(parseArguments(argv.split(" "))).toEqual({
      query: { kind: "gpu", fields: ["power.draw.average", "index"] },
      format: { hasHeader: false, hasUnits: false },
      periodMs: 250,
      ids: undefined,
    });
  });

  test.each([
    { argv: ["-lms", "20"], periodMs: 20 },
    { argv: ["--loop-ms=20"], periodMs: 20 },
    { argv: ["-l", "2"], periodMs: 2000 },
    { argv: ["--loop=2"], periodMs: 2000 },
    { argv: [], periodMs: undefined },
  ])("$argv: a period of $periodMs ms", ({ argv, periodMs }) => {
    expect(parseArguments([...ASKED, ...argv]).periodMs).toBe(periodMs);
  });

  test.each([{ argv: ["-i", "0,GPU-a"] }, { argv: ["--id=0,GPU-a"] }])(
    "$argv: two GPUs",
    ({ argv }) => {
      expect(parseArguments([...ASKED, ...argv]).ids).toEqual(["0", "GPU-a"]);
    },
  );

  test.each([
    { argv: [], message: "answers --query-gpu" },
    { argv: ["--query-gpu=index"], message: '"--format=csv" is missing' },
    {
      argv: ["--query-gpu=index", "--format=xml"],
      message: '"xml" is not a format that the stand-in prints: give --format=csv',
    },
    { argv: [...ASKED, "--lmms=5"], message: "Option --lmms=5 is not recognized" },
    { argv: [...ASKED, "-lms", "often"], message: '"often" is not a value for loop-ms' },
    { argv: [...ASKED, "-lms"], message: '"" is not a value for loop-ms' },
    { argv: [...ASKED, "-lms", "0"], message: '"0" is not a value for loop-ms' },
    { argv: [...ASKED, "-L"], message: "Only one query" },
    { argv: ["pmon", "-c", "0"], message: '"0" is not a value for count' },
    { argv: ["pmon", "-s", "m"], message: 'shows "-s u" only, not "m"' },
    { argv: ["pmon", "--all"], message: "Option --all is not recognized" },
  ])("$argv is refused: $message", ({ argv, message }) => {
    expect(() => parseArguments(argv)).toThrow(message);
  });
});
