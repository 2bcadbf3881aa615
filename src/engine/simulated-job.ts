import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A program that pretends to work on the simulated GPU: it writes into the GPU's power curve that
 * it draws `watts` for `seconds`.
 *
 * Arguments: the steps file of the stand-in nvidia-smi, seconds, watts, idle watts.
 */
const [stepsPath = "", seconds = "5", watts = "400", idleWatts = "90"] = process.argv.slice(2);

function drawFromNowOn(powerW: number): void {
  const step = { atNs: String(process.hrtime.bigint()), powerW };
  appendFileSync(stepsPath, `${JSON.stringify(step)}\n`);
}

console.log(`simulated job: ${watts} W for ${seconds} s`);
drawFromNowOn(Number(watts));
await sleep(Number(seconds) * 1000);
drawFromNowOn(Number(idleWatts));
console.log("simulated job: done");
