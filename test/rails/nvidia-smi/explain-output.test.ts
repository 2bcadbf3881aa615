import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  explainOutput,
  RUN_BY_HAND,
  refusedField,
} from "../../../src/rails/nvidia-smi/explain-output.ts";

const errorTexts = readdirSync("test/cases/power").filter((name) =>
  name.startsWith("nvidia-smi-err-"),
);

describe("explainOutput", () => {
  test.each(errorTexts)("%s has a remedy of its own", (name) => {
    const { said, remedy } = explainOutput(readFileSync(`test/cases/power/${name}`, "utf8"));
    expect(remedy).not.toBe(RUN_BY_HAND);
    expect(said).not.toContain("\n");
  });

  test("what is not known is quoted, cut to one line, with a general remedy", () => {
    expect(explainOutput("boom\n\nbang\n")).toEqual({ said: "“boom / bang”", remedy: RUN_BY_HAND });
    expect(explainOutput(" \n").said).toBe("nothing");
    expect(explainOutput("x".repeat(9999)).said.length).toBeLessThan(310);
  });

  test("a refused field is told by its name", () => {
    expect(refusedField('Field "power.draw.average" is not a valid field to query.\n\n')).toBe(
      "power.draw.average",
    );
    expect(refusedField("No devices were found")).toBeUndefined();
  });
});
