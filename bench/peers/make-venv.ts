import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { findPython } from "./find-python.ts";
import type { PythonTool } from "./peer.ts";

const run = promisify(execFile);

/** Where the tools of others are installed: outside the repository, and kept. */
export const peersDir: string = resolve(
  process.env["JOULEMARK_PEERS_DIR"] ?? join(homedir(), ".cache", "joulemark-peers"),
);

/**
 * The folder of programs of a tool's own virtual environment, which is made where it is not there.
 *
 * @throws {Error} saying why the tool cannot be installed here.
 */
export async function makeVenv({ name, version, python3Minor }: PythonTool): Promise<string> {
  const dir = join(peersDir, `${name}-${version}`);
  const binDir = join(dir, "bin");
  const installed = join(dir, ".installed");
  if (existsSync(installed)) return binDir;
  // What an interrupted installation left is of no use.
  await rm(dir, { recursive: true, force: true });
  await mkdir(peersDir, { recursive: true });
  const python = await findPython(python3Minor);
  console.log(`installing ${name} ${version} …`);
  try {
    await run(python, ["-m", "venv", dir]);
    const quiet = ["--quiet", "--disable-pip-version-check", "--no-input"];
    await run(join(binDir, "pip"), ["install", ...quiet, `${name}==${version}`]);
  } catch (error) {
    throw new Error(
      `pip cannot install it: ${lastErrorLine((error as { stderr?: string }).stderr)}`,
    );
  }
  await writeFile(installed, `${name}==${version}\n`);
  return binDir;
}

/** The last line that says something went wrong, else the last line there is. */
export function lastErrorLine(text = ""): string {
  const lines = text
    .split("\n")
    .map((line) => line.replaceAll(/[│╭╰─╮╯]/g, "").trim())
    .filter((line) => line !== "");
  return lines.findLast((line) => /error|exception|failed/i.test(line)) ?? lines.at(-1) ?? "";
}
