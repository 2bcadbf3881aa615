import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Newest minor version that is looked for by its name. */
const NEWEST_MINOR = 14;

/**
 * A Python 3 that is new enough: `python3` itself, a `python3.N` on the PATH, or one of pyenv's.
 *
 * @throws {Error} where there is none.
 */
export async function findPython(leastMinor: number): Promise<string> {
  const named = Array.from({ length: NEWEST_MINOR - leastMinor + 1 }, (_, i) => leastMinor + i);
  const candidates = [
    "python3",
    ...named.map((minor) => `python3.${minor}`),
    ...(await pyenvPythons(leastMinor)),
  ];
  for (const python of candidates) {
    const minor = await minorOf(python);
    if (minor !== undefined && minor >= leastMinor) return python;
  }
  throw new Error(`it needs Python 3.${leastMinor} or newer, and there is none here`);
}

async function minorOf(python: string): Promise<number | undefined> {
  try {
    const { stdout } = await run(python, ["-c", "import sys; print(sys.version_info.minor)"]);
    return Number(stdout);
  } catch {
    return undefined;
  }
}

async function pyenvPythons(leastMinor: number): Promise<readonly string[]> {
  const root = join(process.env["PYENV_ROOT"] ?? join(homedir(), ".pyenv"), "versions");
  const versions = await readdir(root).catch(() => []);
  return versions
    .filter((version) => version.startsWith("3.") && Number(version.split(".")[1]) >= leastMinor)
    .map((version) => join(root, version, "bin", "python3"));
}
