import { installStandIn } from "../src/engine/nvidia-smi/install-stand-in.ts";
import type { PowerModel } from "../src/engine/nvidia-smi/scenario.ts";

/** An executable that plays the stand-in nvidia-smi with `gpus` GPUs of this power. */
export async function standInChild(gpus: number, power: PowerModel): Promise<string> {
  const { path } = await installStandIn({
    devices: Array.from({ length: gpus }, (_, index) => ({
      index,
      uuid: `GPU-${index}`,
      name: "SIMULATED GPU",
      power,
    })),
    timing: { jitterMs: [5, 50], perDeviceMs: gpus > 1 ? 15 : 0 },
  });
  return path;
}
