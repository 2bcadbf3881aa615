import { describe, expect, test } from "vitest";
import { namedProfiles } from "../../../src/engine/profiles/named-profiles.ts";
import { profileWith } from "../../../src/engine/profiles/profile-with.ts";
import { JoulemarkError } from "../../../src/errors.ts";

const tiny = namedProfiles["tiny"]!;

function problemWith(changes: Record<string, string | number | boolean>): string {
  try {
    profileWith(tiny, changes);
  } catch (error) {
    expect(error).toBeInstanceOf(JoulemarkError);
    expect(error).toMatchObject({ code: "bad_option" });
    return (error as Error).message;
  }
  throw new Error("it was taken");
}

describe("a profile with changes", () => {
  test("takes text as it comes from flags, and typed values", () => {
    const changed = profileWith(tiny, {
      stepBaseMs: "20",
      maxRunning: 7,
      prefillTokensPerS: " 1e4 ",
      hasPrefixCache: "false",
      model: "mine",
      "power.limitW": "400.5",
      "power.generation": "ampere",
      "power.gpuName": "SIMULATED RTX A5000",
      "power.gpuCount": "16",
    });
    expect(changed).toEqual({
      ...tiny,
      stepBaseMs: 20,
      maxRunning: 7,
      prefillTokensPerS: 10_000,
      hasPrefixCache: false,
      model: "mine",
      power: {
        ...tiny.power,
        limitW: 400.5,
        generation: "ampere",
        gpuName: "SIMULATED RTX A5000",
        gpuCount: 16,
      },
    });
  });

  test("without changes is the same, and its own object", () => {
    expect(profileWith(tiny, {})).toEqual(tiny);
    expect(profileWith(tiny, { stepBaseMs: 99 })).not.toBe(tiny);
    expect(tiny.stepBaseMs).toBe(3);
  });

  test("every value of a named profile is one that may be set", () => {
    for (const { power, ...engine } of Object.values(namedProfiles)) {
      const ofPower = Object.entries(power).map(([key, value]) => [`power.${key}`, String(value)]);
      const ofEngine = Object.entries(engine).map(([key, value]) => [key, String(value)]);
      const changes = Object.fromEntries([...ofEngine, ...ofPower]);
      expect(profileWith(tiny, changes)).toEqual({ ...engine, power });
    }
  });

  test.each([
    ["stepBaseMs", "-1", "a number ≥ 0"],
    ["stepBaseMs", "", "a number ≥ 0"],
    ["stepBaseMs", "20ms", "a number ≥ 0"],
    ["stepBaseMs", "0x10", "a number ≥ 0"],
    ["stepBaseMs", true, "a number ≥ 0"],
    ["stepBaseMs", Number.POSITIVE_INFINITY, "a number ≥ 0"],
    ["stepBaseMs", "1e999", "a number ≥ 0"],
    ["stepBaseMs", Number.NaN, "a number ≥ 0"],
    ["prefillTokensPerS", 0, "a number > 0"],
    ["maxRunning", "1.5", "a whole number ≥ 1"],
    ["maxRunning", 0, "a whole number ≥ 1"],
    ["draftTokens", "-1", "a whole number ≥ 0"],
    ["draftAcceptance", "1.1", "a number from 0 to 1"],
    ["hasPrefixCache", "yes", "true or false"],
    ["model", "", "a text of one line"],
    ["model", 5, "a text of one line"],
    ["power.noise", "2", "a number from 0 to 1"],
    ["power.gpuCount", 17, "a whole number from 1 to 16"],
    ["power.gpuCount", 0, "a whole number from 1 to 16"],
    ["power.gpuName", "NVIDIA H100", "a name that begins with SIMULATED"],
    ["power.gpuName", "SIMULATED A, B", "a name that begins with SIMULATED, without commas"],
    ["power.generation", "blackwell", "one of hopper, ada, ampere, ga100, turing, volta, jetson"],
  ])("refuses %s=%s and says what would be right", (key, value, wanted) => {
    expect(problemWith({ [key]: value })).toContain(`${key}=${value} is not ${wanted}`);
  });

  test("names all problems at once", () => {
    const problem = problemWith({ stepBaseMs: "slow", "power.noise": 3, speed: 1 });
    for (const part of ["stepBaseMs=slow", "power.noise=3", "there is no speed"]) {
      expect(problem).toContain(part);
    }
  });

  test.each([
    ["stepBaseM", "stepBaseMs"],
    ["limitW", "power.limitW"],
    ["power.limitw", "power.limitW"],
    ["gpu.gpuCount", "power.gpuCount"],
    ["maxruning", "maxRunning"],
  ])("knows what was meant with %s", (given, meant) => {
    expect(problemWith({ [given]: 1 })).toContain(`there is no ${given}, did you mean ${meant}?`);
  });

  test("lists the keys when one is unknown, and suggests none that is far away", () => {
    const problem = problemWith({ temperature: 1 });
    expect(problem).toContain("there is no temperature;");
    expect(problemWith({ nope: 3 })).toContain("there is no nope;");
    expect(problem).toMatch(/the keys are summary, model, .*power\.thermalS$/);
  });

  test.each(["__proto__", "constructor", "toString", "power"])("%s is no key", (key) => {
    expect(problemWith(JSON.parse(`{"${key}": 1}`))).toContain(`there is no ${key}`);
  });

  test("refuses values that contradict each other", () => {
    expect(problemWith({ kvTokens: 1000 })).toContain("must be ≥ contextTokens=16384");
    expect(problemWith({ "power.limitW": 50 })).toContain("must be ≥ power.idleW=60");
    expect(profileWith(tiny, { kvTokens: 1000, contextTokens: 1000 }).kvTokens).toBe(1000);
  });
});
