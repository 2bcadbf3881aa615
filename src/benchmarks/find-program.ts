import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Whether a command can be run, before anything is measured for it. */
export type FoundProgram =
  | { readonly state: "found" }
  | { readonly state: "not-found" }
  | { readonly state: "not-executable"; readonly path: string };

/** Looks a command up as the system does: by its path where it has a slash, else in PATH. */
export async function findProgram(
  command: string,
  path: string = process.env["PATH"] ?? "",
): Promise<FoundProgram> {
  if (command === "") return { state: "not-found" };
  const candidates = command.includes("/")
    ? [command]
    : path.split(delimiter).map((folder) => join(folder === "" ? "." : folder, command));
  let refused: string | undefined;
  for (const candidate of candidates) {
    const kind = await kindOf(candidate);
    if (kind === "program") return { state: "found" };
    if (kind === "other") refused ??= candidate;
  }
  return refused === undefined
    ? { state: "not-found" }
    : { state: "not-executable", path: refused };
}

async function kindOf(path: string): Promise<"program" | "other" | "nothing"> {
  try {
    if (!(await stat(path)).isFile()) return "other";
  } catch {
    return "nothing";
  }
  try {
    await access(path, constants.X_OK);
    return "program";
  } catch {
    return "other";
  }
}
