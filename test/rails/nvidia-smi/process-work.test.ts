import { describe, expect, test } from "vitest";
import { parseProcessWork } from "../../../src/rails/nvidia-smi/process-work.ts";

/** As drivers from 530 on print it. */
const NEW = `# gpu         pid   type     sm    mem    enc    dec    jpg    ofa    command
# Idx           #    C/G      %      %      %      %      %      %    name
    0        484     C      -      -      -      -      -      -    python3
    0        485     C     37      4      -      -      -      -    my server
    1          -     -      -      -      -      -      -      -    -
`;

describe("parseProcessWork", () => {
  test("a process works as much as its sm column says, and `-` is not known", () => {
    expect(parseProcessWork(NEW)).toEqual([
      { deviceIndex: 0, pid: 484 },
      { deviceIndex: 0, pid: 485, smPercent: 37 },
    ]);
  });

  test("older drivers have fewer columns, some more: their header names them", () => {
    const old = `# gpu        pid  type    sm   mem   enc   dec   command
# Idx          #   C/G     %     %     %     %   name
    0      22010     C    98    56     -     -   python3
`;
    expect(parseProcessWork(old)).toEqual([{ deviceIndex: 0, pid: 22010, smPercent: 98 }]);
    const wider = "# gpu  pid type fb sm mem command\n 2 9 C+G 900 5 6 Xorg\r\n";
    expect(parseProcessWork(wider)).toEqual([{ deviceIndex: 2, pid: 9, smPercent: 5 }]);
  });

  test("no process is an empty account, a text without the table is none", () => {
    expect(parseProcessWork(NEW.split("\n").slice(0, 2).join("\n"))).toEqual([]);
    const refusals = ["Not supported on the device(s)\nFailed to process command line.\n", ""];
    for (const text of refusals) expect(parseProcessWork(text)).toBeUndefined();
    expect(parseProcessWork("# gpu pid type command\n 0 7 C x\n")).toBeUndefined();
  });

  test("torn and odd lines are left out", () => {
    expect(parseProcessWork(`${NEW}    0     4\n# gpu pid\n  x 7 C 5\n    0 `)).toEqual([
      { deviceIndex: 0, pid: 484 },
      { deviceIndex: 0, pid: 485, smPercent: 37 },
      { deviceIndex: 0, pid: 4 },
    ]);
  });
});
