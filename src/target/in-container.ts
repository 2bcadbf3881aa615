import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Whether this process runs in a container, as far as its files tell.
 *
 * @param root - where the file system is looked at. Default: `/`.
 */
export function isInContainer(root = "/"): boolean {
  if (existsSync(join(root, ".dockerenv"))) return true;
  if (existsSync(join(root, "run/.containerenv"))) return true;
  try {
    const cgroups = readFileSync(join(root, "proc/1/cgroup"), "utf8");
    return /docker|kubepods|containerd|libpod|lxc/.test(cgroups);
  } catch {
    return false;
  }
}
