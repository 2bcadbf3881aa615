import { describe, expect, test } from "vitest";
import { sensorFacts } from "../../../src/rails/nvidia-smi/sensor-facts.ts";

describe("sensorFacts", () => {
  test.each<[string | undefined, string, string, number, number]>([
    ["NVIDIA H100 80GB HBM3", "590.48.01", "power.draw.average", 1000, 100],
    ["NVIDIA H100 80GB HBM3", "590.48.01", "power.draw.instant", 25, 100],
    ["NVIDIA H200", "590.48.01", "power.draw.average", 1000, 100],
    ["NVIDIA GH200 480GB", "580.00", "power.draw.instant", 25, 100],
    ["NVIDIA A100-SXM4-80GB", "535.54.03", "power.draw", 25, 100],
    ["NVIDIA A100 80GB PCIe", "535.54.03", "power.draw.instant", 25, 100],
    ["NVIDIA A30", "535.54.03", "power.draw", 25, 100],
    ["NVIDIA GeForce RTX 3090", "535.54.03", "power.draw", 1000, 100],
    ["NVIDIA GeForce RTX 3090", "530.30.02", "power.draw", 100, 100],
    ["NVIDIA GeForce RTX 3090", "525.85.12", "power.draw", 1000, 100],
    ["NVIDIA GeForce RTX 4090", "530.30.02", "power.draw", 100, 100],
    ["NVIDIA H100 80GB HBM3", "530.30.02", "power.draw", 1000, 100],
    ["Quadro RTX 8000", "535.54.03", "power.draw", 20, 100],
    ["Quadro RTX 4000", "535.54.03", "power.draw", 100, 100],
    ["NVIDIA TITAN Xp", "535.54.03", "power.draw", 10, 20],
    ["Quadro GV100", "535.54.03", "power.draw.instant", 10, 20],
    ["NVIDIA RTX A5000", "525.60.13", "power.draw", 1000, 100],
    ["NVIDIA A10G", "535.54.03", "power.draw", 1000, 100],
    ["NVIDIA A40", "535.54.03", "power.draw.average", 1000, 100],
    ["NVIDIA L40S", "595.80", "power.draw.instant", 100, 100],
    ["NVIDIA L4", "580.105.08", "power.draw.average", 1000, 100],
    ["NVIDIA GeForce RTX 4080 SUPER", "595.71.05", "power.draw.average", 1000, 100],
    ["NVIDIA GeForce RTX 2080 SUPER", "610.57.04", "power.draw", 100, 100],
    ["Tesla T4", "535.54.03", "power.draw", 100, 100],
    ["NVIDIA GeForce GTX 1650", "535.54.03", "power.draw", 100, 100],
    ["Tesla V100-SXM2-16GB", "535.54.03", "power.draw", 10, 20],
    ["NVIDIA GeForce GTX 1080 Ti", "535.54.03", "power.draw", 10, 20],
    ["NVIDIA B200", "570.26", "power.draw.average", 1000, 100],
    ["NVIDIA GB10", "580.00", "power.draw.average", 1000, 100],
    ["NVIDIA GeForce RTX 5090", "590.00", "power.draw.instant", 100, 100],
    ["SIMULATED H100", "590.48.01", "power.draw.average", 1000, 100],
    ["SIMULATED H100 80GB HBM3", "590.48.01", "power.draw.instant", 25, 100],
    ["SIMULATED GPU", "590.48.01", "power.draw.instant", 100, 100],
    [undefined, "", "power.draw", 1000, 100],
  ])(
    "%s, driver %s, %s: the mean of %d ms, renewed every %d ms",
    (name, driver, field, averagingMs, updateMs) => {
      expect(sensorFacts(name, driver, field).sensor).toEqual({
        averagingMs,
        updateMs,
        kind: averagingMs === 1000 ? "average" : "instant",
      });
    },
  );

  test("says whether that was measured, documented, assumed or simulated", () => {
    const basisOf = (name?: string) => sensorFacts(name, "590.1", "power.draw.average").basis;
    expect(basisOf("NVIDIA H200")).toContain("measured");
    expect(basisOf("NVIDIA B200")).toContain("not characterised");
    expect(basisOf("NVIDIA Frobnicator 9000")).toContain("assumed");
    expect(basisOf()).toContain("assumed");
    expect(basisOf("SIMULATED H200")).toBe("simulated");
  });

  test.each([
    ["Tesla K40m", /Kepler/],
    ["Tesla K80", /Kepler/],
    ["Tesla M40 24GB", /Maxwell/],
    ["NVIDIA GeForce GTX TITAN X", /Maxwell/],
    ["NVIDIA GeForce GTX 970", /Maxwell/],
    ["NVIDIA GeForce GTX 750 Ti", /Maxwell/],
    ["Quadro K620", /Maxwell and Kepler/],
    ["Quadro M4000", /Maxwell/],
    ["Tesla C2075", /Fermi/],
    ["GeForce GTX 580", /Fermi/],
    ["Quadro 6000", /Fermi/],
  ])("%s is no plain mean of any time, and says so", (name, why) => {
    expect(sensorFacts(name, "391.35", "power.draw").unmodelled).toMatch(why);
  });

  test.each([
    "NVIDIA GeForce GTX 1080 Ti",
    "NVIDIA TITAN X (Pascal)",
    "NVIDIA TITAN V",
    "Quadro P4000",
    "Quadro RTX 5000",
    "NVIDIA RTX 6000 Ada Generation",
    "Quadro RTX 6000",
    "Tesla P40",
    "Tesla V100-SXM2-16GB",
    "NVIDIA A40",
    "NVIDIA GeForce RTX 4090",
    undefined,
  ])("%s is a plain mean", (name) => {
    expect(sensorFacts(name, "535.54.03", "power.draw")).not.toHaveProperty("unmodelled");
  });
});
