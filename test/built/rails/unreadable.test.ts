import { readFileSync } from "node:fs";
import { join } from "node:path";
import { openNvidiaSmi } from "joulemark";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../support/open-rail.ts";
import { box, gpu } from "../../support/scenarios.ts";

describe("a rail that cannot be read says why", () => {
  test("the program is not there", async () => {
    await expect(openNvidiaSmi({ path: "/nowhere/nvidia-smi" })).rejects.toThrow(
      "the GPU rail is not readable here: /nowhere/nvidia-smi was not found; install the NVIDIA driver's tools, or name the program with --nvidia-smi PATH",
    );
  });

  test.each(["nvidia-smi-err-no-devices.txt", "nvidia-smi-err-version-mismatch.txt"])(
    "%s",
    async (file) => {
      const text = readFileSync(join("test/cases/power", file), "utf8");
      const message = await refusalOf(box(1, { wholeOutput: { text, exitCode: 18 } }));
      expect(message).toContain(text.split("\n")[0]);
      expect(message).toContain("exit code 18");
    },
  );

  test("it answers nothing", async () => {
    const faults = [{ kind: "hang", afterTicks: 0, oneShotToo: true }] as const;
    expect(await refusalOf(box(1, { faults }), { startTimeoutMs: 400 })).toContain(
      "did not answer a query within 0.4 s",
    );
  });

  test("it answers queries, but the loop prints nothing", async () => {
    const faults = [{ kind: "hang", afterTicks: 0 }] as const;
    const message = await refusalOf(box(1, { faults }), { startTimeoutMs: 800 });
    expect(message).toMatch(/no reading came \(waited 0\.\d s; it printed no line\)/);
  });

  test("the loop prints rubbish: the time, the count and the last line are told", async () => {
    const lines = ["Segmentation fault", "<html>62 W</html>"];
    const faults = [{ kind: "rubbish", afterTicks: 0, lines, instead: true }] as const;
    const message = await refusalOf(box(1, { faults }), { startTimeoutMs: 800 });
    expect(message).toMatch(
      /waited 0\.\d s; \d+ lines were rejected, the last one “<html>62 W<\/html>”/,
    );
  });

  test("the loop prints other columns than asked", async () => {
    const faults = [{ kind: "other-columns", afterTicks: 0 }] as const;
    expect(await refusalOf(box(1, { faults }), { startTimeoutMs: 800 })).toContain(
      "lines were rejected",
    );
  });

  test("the loop ends at once: its exit code and its stderr are told", async () => {
    const faults = [{ kind: "die", afterTicks: 0, exitCode: 15, stderr: "GPU is lost\n" }] as const;
    const message = await refusalOf(box(1, { faults }));
    expect(message).toContain("exit code 15");
    expect(message).toContain("GPU is lost");
  });

  test("a line without end does not fill the memory", async () => {
    const faults = [{ kind: "endless-line", afterTicks: 0, bytesPerS: 5_000_000 }] as const;
    expect(await refusalOf(box(1, { faults }), { startTimeoutMs: 800 })).toContain("too long");
  });

  test.each([0, -1, 0.5, Number.NaN, 2 ** 31])(
    "a period of %s ms is a wrong option",
    async (periodMs) => {
      await expect(openNvidiaSmi({ periodMs })).rejects.toMatchObject({ code: "bad_option" });
    },
  );

  test("a GPU that needs a reset is told to be reset, a field that is refused keeps its exit code", async () => {
    const cells = Object.fromEntries(
      ["power.draw.average", "power.draw.instant", "power.draw"].map((field) => [
        field,
        "[GPU requires reset]",
      ]),
    );
    expect(await refusalOf({ devices: [gpu(0, { cells })] })).toMatch(
      /requires reset.*reset it or reboot/,
    );
    const text = 'Field "index" is not a valid field to query.\n\n';
    const message = await refusalOf(box(1, { wholeOutput: { text, exitCode: 2 } }));
    expect(message).toContain("exit code 2");
  });
});
