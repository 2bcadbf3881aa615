import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { JoulemarkError } from "../../src/errors.ts";
import { checkFileLimit } from "../../src/target/file-limit.ts";

function procfs(limits: string | undefined, openFiles = 20): string {
  const root = mkdtempSync(join(tmpdir(), "joulemark-proc-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, "self", "fd"), { recursive: true });
  for (let at = 0; at < openFiles; at++) writeFileSync(join(root, "self", "fd", String(at)), "");
  if (limits !== undefined) writeFileSync(join(root, "self", "limits"), limits);
  return root;
}

/** As Linux writes it. */
const limits = (soft: string, hard: string) =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max processes             62987                62987                processes 
Max open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     
Max locked memory         8388608              8388608              bytes     
`;

describe("checkFileLimit (S85)", () => {
  test("100 requests at once do not fit into 64 files", async () => {
    const check = checkFileLimit(100, { procRoot: procfs(limits("64", "64")) });
    await expect(check).rejects.toThrow(JoulemarkError);
    await expect(check).rejects.toMatchObject({
      code: "bad_option",
      message: expect.stringMatching(/may open 64 \(20 are open.*at most 12 .*ulimit -Hn 152/),
    });
  });

  test("the hard limit counts, which Node raises the soft one to", async () => {
    await checkFileLimit(500, { procRoot: procfs(limits("64", "4096")) });
    await expect(checkFileLimit(500, { procRoot: procfs(limits("64", "64")) })).rejects.toThrow();
  });

  test("to the last descriptor", async () => {
    const procRoot = procfs(limits("1024", "1024"));
    await checkFileLimit(1024 - 20 - 32, { procRoot });
    await expect(checkFileLimit(1024 - 20 - 32 + 1, { procRoot })).rejects.toThrow("at most 972");
  });

  test("more open than allowed leaves none", async () => {
    const procRoot = procfs(limits("16", "16"));
    await expect(checkFileLimit(1, { procRoot })).rejects.toThrow("at most 0");
  });

  test.each([
    ["unlimited", limits("unlimited", "unlimited")],
    ["not said", "Limit\n"],
    ["not there", undefined],
  ])("%s: nothing is checked", async (_what, text) => {
    await checkFileLimit(1_000_000, { procRoot: procfs(text) });
  });
});

test.skipIf(process.platform !== "linux")("this machine's own limit", async () => {
  await checkFileLimit(1);
  await expect(checkFileLimit(2_000_000_000)).rejects.toThrow("2000000000 requests at once");
});

test.skipIf(process.platform !== "linux")("a real process with 64 files", async () => {
  // As it ships, since Node 20 does not read TypeScript.
  const dist = new URL("../../dist/target/file-limit.js", import.meta.url).href;
  const script = `await (await import(${JSON.stringify(dist)})).checkFileLimit(100);`;
  const node = `ulimit -n 64 && exec "${process.execPath}" --input-type=module -e '${script}'`;
  await expect(promisify(execFile)("sh", ["-c", node])).rejects.toMatchObject({
    stderr: expect.stringMatching(/100 requests at once .* may open 64 /),
  });
});
