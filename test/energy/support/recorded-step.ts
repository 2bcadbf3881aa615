import { readFileSync } from "node:fs";
import type { PowerSample } from "../../../src/energy/power-sample.ts";

const FILE = "../../cases/power/nvidia-smi-rtx3090-driver535-step-250ms.csv";

/** An RTX 3090 with driver 535, `.average` and `.instant` of each line; ms of the day. */
export const RECORDED: readonly PowerSample[] = readFileSync(new URL(FILE, import.meta.url), "utf8")
  .trim()
  .split("\n")
  .slice(1)
  .map((line) => {
    const cells = line.split(", ");
    const [, time] = cells[0]!.split(" ");
    return { atMs: msOfDay(time!), powerW: Number(cells.at(-2)), instantW: Number(cells.at(-1)) };
  });

/** When the load ran that it shows. */
export const RECORDED_LOAD: { readonly startMs: number; readonly endMs: number } = {
  startMs: msOfDay("19:27:37.595627"),
  endMs: msOfDay("19:27:43.524417"),
};

function msOfDay(text: string): number {
  const [h, m, s] = text.split(":").map(Number);
  return (h! * 3600 + m! * 60 + s!) * 1000;
}
