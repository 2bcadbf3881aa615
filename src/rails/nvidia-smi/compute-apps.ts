import type { ComputeApp } from "../serving.ts";
import { askOnce, type OneShotOptions } from "./one-shot.ts";

/**
 * The processes that the driver sees on its GPUs.
 *
 * Often empty where there are some: in containers the driver's pids are those of the host, and on
 * WSL it lists none.
 *
 * @throws {RailUnreadableError} when nvidia-smi cannot be asked.
 */
export async function computeApps(options: OneShotOptions): Promise<readonly ComputeApp[]> {
  const { stdout } = await askOnce(
    ["--query-compute-apps=gpu_uuid,pid", "--format=csv,noheader"],
    options,
  );
  return stdout.split(/\r?\n/).flatMap((line) => {
    const [deviceUuid = "", pid = ""] = line.split(",").map((cell) => cell.trim());
    return deviceUuid !== "" && /^\d+$/.test(pid) ? [{ deviceUuid, pid: Number(pid) }] : [];
  });
}
