import { expect, test } from "vitest";
import * as library from "../src/index.ts";

test("the library's face: these names and no others", () => {
  expect(Object.keys(library).toSorted()).toEqual([
    "EnergyMeter",
    "JoulemarkError",
    "RailUnreadableError",
    "aboveIdleJ",
    "estimate",
    "idleLine",
    "integrate",
    "joulesPerToken",
    "listRails",
    "nowMs",
    "openNvidiaSmi",
    "parseLine",
    "parseTarget",
    "readRun",
    "rederive",
    "runMetrics",
    "samplerCostLine",
    "settleMs",
    "startEngine",
    "streamRequest",
    "sumDevices",
    "sumWindows",
    "windowLine",
    "windowMetrics",
  ]);
});
