import { describe, expect, test } from "vitest";
import { descendantsOf } from "../../src/rails/process-tree.ts";
import { createFakeProcfs, type FakeProcess } from "./fake-procfs.ts";

async function descendantsIn(processes: FakeProcess[], pids: number[]): Promise<number[]> {
  return descendantsOf(pids, { procRoot: await createFakeProcfs({ processes }) });
}

describe("descendantsOf", () => {
  test("children and grandchildren are found, parents, siblings and the process itself not", async () => {
    const processes = [
      { pid: 1, parentPid: 0 },
      { pid: 10, parentPid: 1 },
      { pid: 11, parentPid: 1 },
      { pid: 300, parentPid: 10 },
      { pid: 20, parentPid: 300 },
      { pid: 12, parentPid: 11 },
    ];
    expect(await descendantsIn(processes, [10])).toEqual([20, 300]);
    expect(await descendantsIn(processes, [10, 11])).toEqual([12, 20, 300]);
    expect(await descendantsIn(processes, [20])).toEqual([]);
  });

  test("a process given that descends from another one given is not repeated", async () => {
    const processes = [
      { pid: 10, parentPid: 1 },
      { pid: 20, parentPid: 10 },
      { pid: 30, parentPid: 20 },
    ];
    expect(await descendantsIn(processes, [10, 20])).toEqual([30]);
  });

  test.each(["tmux: server", ") (", "a) S 99 (b", "VLLM::EngineCor", "(sd-pam)", ""])(
    "the parent is read past a process called %j",
    async (name) => {
      const processes = [
        { pid: 10, parentPid: 1, name },
        { pid: 20, parentPid: 10, name },
      ];
      expect(await descendantsIn(processes, [10])).toEqual([20]);
      expect(await descendantsIn(processes, [99])).toEqual([]);
    },
  );

  test("a process that vanishes while reading, or reads as nonsense, is left out", async () => {
    const processes = [
      { pid: 10, parentPid: 1, stat: "gone" },
      { pid: 20, parentPid: 10 },
      { pid: 30, parentPid: 10, stat: "gone" },
      { pid: 40, parentPid: 10, stat: "" },
      { pid: 50, parentPid: 10, stat: "50 (x" },
    ];
    expect(await descendantsIn(processes, [10])).toEqual([20]);
  });

  test("a circle, which reused pids can make while reading, ends", async () => {
    const processes = [
      { pid: 10, parentPid: 20 },
      { pid: 20, parentPid: 10 },
      { pid: 30, parentPid: 30 },
    ];
    expect(await descendantsIn(processes, [10, 30])).toEqual([20]);
  });

  test("without a procfs there are none", async () => {
    expect(await descendantsOf([1], { procRoot: "/no/such/proc" })).toEqual([]);
  });
});
