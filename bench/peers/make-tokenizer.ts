import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { REPLY_WORDS } from "../../src/engine/schedule/reply-words.ts";
import { peersDir } from "./make-venv.ts";

const SCRIPT = "bench/peers/make_tokenizer.py";

/**
 * A tokenizer directory for tools that want one, made with the `tokenizers` package that some
 * tool's virtual environment has.
 *
 * @returns `undefined` where none of the environments has it.
 */
export async function makeTokenizer(binDirs: readonly string[]): Promise<string | undefined> {
  const dir = join(peersDir, "tokenizer");
  for (const binDir of binDirs) {
    const python = spawn(join(binDir, "python"), [SCRIPT, dir], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    python.stdin.end(REPLY_WORDS.join("\n"));
    const [code] = (await once(python, "exit")) as [number | null];
    if (code === 0) return dir;
  }
  return undefined;
}
