import { copyFile, mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { askOnce } from "../../../src/rails/nvidia-smi/one-shot.ts";
import { NvidiaSmiReader } from "../../../src/rails/nvidia-smi/reader.ts";
import { whileBusy } from "../../../src/rails/nvidia-smi/while-busy.ts";
import type { RailEvent } from "../../../src/rails/source.ts";
import { eventually } from "../../support/eventually.ts";

/** A program that somebody holds open for writing, and what closes it. */
async function busyProgram(): Promise<{ path: string; close: () => Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), "joulemark-busy-"));
  onTestFinished(() => rm(dir, { recursive: true }));
  const path = join(dir, "nvidia-smi");
  await copyFile("/bin/true", path);
  const file = await open(path, "r+");
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= file.close());
  onTestFinished(close);
  return { path, close };
}

const busy = () => Object.assign(new Error("spawn ETXTBSY"), { code: "ETXTBSY" });

describe.runIf(process.platform === "linux")("a program that is just being written", () => {
  test("answers a query once it is written", async () => {
    const { path, close } = await busyProgram();
    const asking = askOnce([], { path, timeoutMs: 5000 });
    setTimeout(close, 50);
    expect(await asking).toMatchObject({ exitCode: 0 });
  });

  test("is read once it is written", async () => {
    const { path, close } = await busyProgram();
    const events: RailEvent[] = [];
    const options = { path, columns: ["power.draw"], periodMs: 50, devices: [], isSubset: false };
    const starting = NvidiaSmiReader.start(options, (event) => events.push(event));
    setTimeout(close, 50);
    const reader = await starting;
    await eventually("it has ended", () => events.length > 1);
    expect(events).toMatchObject([
      { kind: "started" },
      { kind: "ended", why: expect.stringContaining("exit code 0") },
    ]);
    await reader.stop();
  });

  test("is told as it is when it stays so", async () => {
    const { path } = await busyProgram();
    await expect(askOnce([], { path, timeoutMs: 5000 })).rejects.toThrow(/could not be started/);
  });
});

describe("whileBusy", () => {
  test("tries again for a busy program, also as the cause of an error", async () => {
    const fails = [busy(), new Error("could not be started", { cause: busy() })];
    const start = () => {
      const error = fails.shift();
      if (error) throw error;
      return "started";
    };
    expect(await whileBusy(start)).toBe("started");
    expect(fails).toEqual([]);
  });

  test("tries once where anything else is wrong", async () => {
    let tries = 0;
    const start = () => {
      tries++;
      throw Object.assign(new Error("spawn EACCES"), { code: "EACCES" });
    };
    await expect(whileBusy(start)).rejects.toThrow("EACCES");
    expect(tries).toBe(1);
  });
});
