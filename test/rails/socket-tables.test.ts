import { describe, expect, test } from "vitest";
import {
  listenersReachedAt,
  parseTcpListeners,
  parseUnixListeners,
} from "../../src/rails/socket-tables.ts";
import { tcpRow, unixRow } from "./fake-procfs.ts";

const HEADING =
  "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";

describe("parseTcpListeners", () => {
  test.each([
    ["0100007F:1F40", "127.0.0.1", 8000],
    ["00000000:07E8", "0.0.0.0", 2024],
    ["0702000A:0050", "10.0.2.7", 80],
    ["B80D0120000000000000000001000000:FFFF", "2001:0db8:0000:0000:0000:0000:0000:0001", 65535],
    ["0000000000000000FFFF00000100007F:0001", "0000:0000:0000:0000:0000:ffff:7f00:0001", 1],
  ])("%s is %s, port %i, on a little-endian machine", (hex, address, port) => {
    const [listener] = parseTcpListeners(`${HEADING}\n${tcpRow(hex, 77)}\n`, "LE");
    expect({ ...listener, address: listener?.address.toLowerCase() }).toEqual({
      address,
      port,
      inode: "77",
    });
  });

  test.each([
    ["7F000001:1F40", "127.0.0.1"],
    ["20010DB8000000000000000000000001:1F40", "2001:0DB8:0000:0000:0000:0000:0000:0001"],
  ])("%s is %s on a big-endian machine", (hex, address) => {
    const listener = { address, port: 8000, inode: "77" };
    expect(parseTcpListeners(tcpRow(hex, 77), "BE")).toEqual([listener]);
  });

  test("a row as the kernel wrote it is read", () => {
    const row =
      "   0: 00000000:07E8 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1526 1 00000000325c3b26 100 0 0 10 0                      ";
    const listener = { address: "0.0.0.0", port: 2024, inode: "1526" };
    expect(parseTcpListeners(`${HEADING}\n${row}\n`, "LE")).toEqual([listener]);
  });

  test("no state but LISTEN counts", () => {
    const others = ["01", "02", "03", "04", "05", "06", "07", "08", "09", "0B", "0C"];
    const rows = others.map((state) => tcpRow("0100007F:1F40", 77, state));
    expect(parseTcpListeners(rows.join("\n"), "LE")).toEqual([]);
  });

  test("a heading, a blank and a broken row are no listeners", () => {
    const table = [HEADING, "", "   1: 0100007F", "   2: xyz:1F40 0:0 0A"].join("\n");
    expect(parseTcpListeners(table, "LE")).toEqual([]);
  });
});

describe("parseUnixListeners", () => {
  test("a path is read to the end of its line, blanks included", () => {
    const table = `Num RefCount Protocol\n${unixRow("/run/my server.sock", 5)}\n`;
    expect(parseUnixListeners(table)).toEqual([{ path: "/run/my server.sock", inode: "5" }]);
  });

  test("a connection that was accepted has the path too, and does not listen", () => {
    expect(parseUnixListeners(unixRow("/run/x.sock", 5, "00000000"))).toEqual([]);
  });

  test("a socket without a path is none", () => {
    const row = "000000001bbdeb0d: 00000003 00000000 00010000 0001 03  1523";
    expect(parseUnixListeners(row)).toEqual([]);
  });
});

describe("listenersReachedAt", () => {
  const listener = (address: string) => ({ address, port: 8000, inode: address });
  const reachedAt = (address: string, bound: string[]) =>
    listenersReachedAt(address, bound.map(listener)).map((reached) => reached.address);

  test.each([
    ["127.0.0.1", ["0.0.0.0", "127.0.0.1", "::"], ["127.0.0.1"]],
    ["127.0.0.1", ["0.0.0.0", "192.0.2.7"], ["0.0.0.0"]],
    ["127.0.0.1", ["::", "0.0.0.0"], ["0.0.0.0"]],
    ["127.0.0.1", ["::", "::1"], ["::"]],
    ["127.0.0.1", ["192.0.2.7", "::1"], []],
    ["127.0.0.1", ["0:0:0:0:0:ffff:7f00:1", "0.0.0.0"], ["0:0:0:0:0:ffff:7f00:1"]],
    ["::ffff:7f00:1", ["127.0.0.1", "::1"], ["127.0.0.1"]],
    ["::1", ["0:0:0:0:0:0:0:1", "0:0:0:0:0:0:0:0"], ["0:0:0:0:0:0:0:1"]],
    ["::1", ["0.0.0.0", "::"], ["::"]],
    ["::1", ["0.0.0.0", "127.0.0.1"], []],
    ["fe80::1%eth0", ["fe80:0:0:0:0:0:0:1"], ["fe80:0:0:0:0:0:0:1"]],
  ])("a connection to %s, of those bound to %j, gets to %j", (address, bound, reached) => {
    expect(reachedAt(address, bound)).toEqual(reached);
  });

  test("with SO_REUSEPORT all that share the address get connections", () => {
    expect(reachedAt("127.0.0.1", ["127.0.0.1", "127.0.0.1"])).toHaveLength(2);
  });
});
