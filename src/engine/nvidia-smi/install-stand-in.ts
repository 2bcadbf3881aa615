import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Scenario } from "./scenario.ts";

/** A stand-in `nvidia-smi` in a folder. */
export interface StandIn {
  /** The executable; it needs nothing in its environment. */
  readonly path: string;
  /** Holds nothing but the stand-in and its scenario, unless it was given. */
  readonly dir: string;
  /** This process's environment with `dir` first in the PATH. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Takes the folder away, of a given one only the stand-in and its scenario; a stand-in that still
   * runs ends at its next line or silent tick.
   */
  remove(): Promise<void>;
}

/**
 * Writes a stand-in that plays `scenario`; relative paths in it start at its folder.
 *
 * @param program - the built `main.js` of this folder; default the one beside this file.
 * @param givenDir - where to put it, made if only it is not there; default a new temporary folder.
 */
export async function installStandIn(
  scenario: Scenario,
  program: string = fileURLToPath(new URL("./main.js", import.meta.url)),
  givenDir?: string,
): Promise<StandIn> {
  if (givenDir !== undefined) await makeFolder(givenDir);
  const dir =
    givenDir === undefined
      ? await mkdtemp(join(tmpdir(), "joulemark-stand-in-"))
      : resolve(givenDir);
  const path = join(dir, "nvidia-smi");
  const scenarioPath = join(dir, "scenario.json");
  await writeFile(scenarioPath, JSON.stringify(scenario));
  await writeFile(path, wrapper(scenarioPath, program), { mode: 0o755 });
  return {
    path,
    dir,
    env: { ...process.env, PATH: `${dir}${delimiter}${process.env["PATH"] ?? ""}` },
    remove: async () => {
      const paths = givenDir === undefined ? [dir] : [scenarioPath, path];
      for (const gone of paths) await rm(gone, { recursive: true, force: true });
    },
  };
}

/** Not Node's recursive `mkdir`: below /proc that never ends (seen with Node 20.20.2). */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** `exec` keeps the process id, so that whoever starts the wrapper can signal the stand-in. */
function wrapper(scenarioPath: string, program: string): string {
  return [
    "#!/bin/sh",
    `export JOULEMARK_STAND_IN=${quoted(scenarioPath)}`,
    `exec ${quoted(process.execPath)} ${quoted(program)} "$@"`,
    "",
  ].join("\n");
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
