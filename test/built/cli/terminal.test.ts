import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { cleanups } from "../../support/open-rail.ts";
import { box } from "../../support/scenarios.ts";
import { installStandIn } from "../../support/stand-in.ts";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

/** Optional: needs Debian's tmux, which CI installs. */
test.runIf(hasTmux)(
  "Ctrl-C in a terminal ends the command, once, and the joules are shown",
  async () => {
    const standIn = await installStandIn(box(1));
    cleanups.push(() => standIn.remove());
    const socket = `joulemark-${process.pid}`;
    const tmux = (...args: string[]): string =>
      execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" });
    const caught = join(standIn.dir, "caught");
    const job = join(standIn.dir, "job.sh");
    const outer = join(standIn.dir, "outer.sh");
    writeFileSync(
      job,
      `trap 'echo caught >>${caught}; exit 7' INT\necho up\nwhile :; do sleep 0.1; done\n`,
    );
    const flags = `--nvidia-smi ${standIn.path} --rail-period 50 --baseline 0.5 --settle 0`;
    writeFileSync(
      outer,
      // The shell around it must outlive the key, to tell the exit code.
      `trap : INT\n${process.execPath} ${MAIN} measure ${flags} -- sh ${job}\necho code $?\nsleep 60\n`,
    );
    tmux("new-session", "-d", "-x", "110", "-y", "40", `sh ${outer}`);
    cleanups.push(async () => void tmux("kill-server"));
    const screen = (): string => tmux("capture-pane", "-p");
    await eventually("the command runs", () => /^up$/m.test(screen()), 20_000);
    await new Promise((resolve) => setTimeout(resolve, 500));
    tmux("send-keys", "C-c");
    await eventually("the run is over", () => /^code \d+$/m.test(screen()), 20_000);
    expect(screen()).toMatch(/^code 7$/m);
    expect(screen()).toMatch(/energy +\d/);
    expect(readFileSync(caught, "utf8")).toBe("caught\n");
  },
);

test.runIf(hasTmux)(
  "the live display moves, Ctrl-C ends the run with its table, and the screen is left clean",
  async () => {
    const socket = `joulemark-live-${process.pid}`;
    const tmux = (...args: string[]): string =>
      execFileSync("tmux", ["-L", socket, ...args], { encoding: "utf8" });
    const dir = mkdtempSync(join(tmpdir(), "joulemark-live-"));
    const outer = join(dir, "outer.sh");
    const flags = "--target localhost:8000 --model m --concurrency 1,2,8";
    const fake = fileURLToPath(new URL("../../support/fake-sweep.mjs", import.meta.url));
    writeFileSync(
      outer,
      `trap : INT\ncd ${dir}\nNO_COLOR=1 ${process.execPath} ${fake} 0.5 sweep ${flags}\necho code $?\nsleep 60\n`,
    );
    tmux("new-session", "-d", "-x", "100", "-y", "40", `sh ${outer}`);
    cleanups.push(async () => void tmux("kill-server"));
    // With its history: a window that becomes narrower moves lines up into it.
    const screen = (): string => tmux("capture-pane", "-p", "-S", "-");
    await eventually("a cell is measured", () => /1\/3 · 1 at once · measuring · ━/.test(screen()));
    tmux("resize-window", "-x", "60");
    await eventually("it is done", () => /^1\/3 · 1 at once: 51\.3 tok\/s/m.test(screen()));
    tmux("resize-window", "-x", "100");
    await eventually("the next one runs", () => /2\/3 · 2 at once · measuring/.test(screen()));
    tmux("send-keys", "C-c");
    await eventually("the run is over", () => /^code \d+$/m.test(screen()));
    expect(screen()).toMatch(/^code 130$/m);
    expect(screen()).toContain("SIMULATED · joulemark sweep · m · ENDED EARLY");
    expect(screen()).toMatch(/^joulemark: stopping; what was measured is kept/m);
    // Nothing of the display is left.
    expect(screen()).not.toMatch(/· (measuring|warm-up|quiet time)/);
    expect(screen().match(/1\/3 · 1 at once: 51\.3 tok\/s/g)).toHaveLength(1);
  },
);
