import { parseArgs } from "node:util";
import { abortSoak } from "./abort-soak.ts";
import { printHeld, printInstant, printProfiles, printSoaks } from "./engine-tables.ts";
import { type HeldCase, holdLoad } from "./held-load.ts";
import { type InstantCase, instantCeiling } from "./instant-ceiling.ts";
import { instantProfiles } from "./instant-profile.ts";
import { loadAverage } from "./process-cost.ts";
import { writeResults } from "./write-results.ts";

const { values } = parseArgs({
  options: {
    "only-held": { type: "boolean", default: false },
    "only-instant": { type: "boolean", default: false },
    "only-soak": { type: "boolean", default: false },
    rounds: { type: "string", default: "3" },
    /** Streams at once where a load is held, and how long all of them run. */
    streams: { type: "string", default: "1000" },
    "held-s": { type: "string", default: "8" },
    "instant-s": { type: "string", default: "2.5" },
    "soak-streams": { type: "string", default: "100000" },
  },
});

const rounds = Number(values.rounds);
const isAll = !(values["only-held"] || values["only-instant"] || values["only-soak"]);

/** Turn by turn, so that what disturbs one case disturbs all. */
async function held() {
  const cases: HeldCase[] = [true, false].flatMap((hasTruth) =>
    (["together", "spread"] as const).map((phases) => ({
      streams: Number(values.streams),
      phases,
      hasTruth,
      seconds: Number(values["held-s"]),
    })),
  );
  const runs = cases.map((one) => ({ one, runs: [] as Awaited<ReturnType<typeof holdLoad>>[] }));
  for (let round = 0; round < rounds; round++) {
    for (const { one, runs: ofCase } of runs) ofCase.push(await holdLoad(one));
  }
  printHeld(runs.map((each) => each.runs));
  return runs.flatMap((each) => each.runs);
}

async function instant() {
  const seconds = Number(values["instant-s"]);
  const cases: InstantCase[] = (
    [
      ["flood", 64, 1],
      ["flood", 64, 2],
      ["flood-100", 64, 1],
      ["short", 64, 1],
      ["together", 1000, 1],
      ["spread", 1000, 1],
    ] as const
  ).map(([mode, streams, processes]) => ({ mode, streams, processes, threads: 1, seconds }));
  const rows = await instantCeiling(cases, rounds);
  printInstant(rows);
  const profiles = await instantProfiles(cases.filter(({ processes }) => processes === 1));
  printProfiles(profiles);
  return { rows, profiles };
}

async function soaked() {
  const streams = Number(values["soak-streams"]);
  const soaks = [await abortSoak(streams, false), await abortSoak(streams, true)];
  printSoaks(soaks);
  return soaks;
}

console.log(`load average before: ${loadAverage()}`);
writeResults("engine", {
  ...((isAll || values["only-held"]) && { held: await held() }),
  ...((isAll || values["only-instant"]) && { instant: await instant() }),
  ...((isAll || values["only-soak"]) && { soaks: await soaked() }),
});
