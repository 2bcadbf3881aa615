import { mkdtemp, rm, symlink } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { findListeningPids, findListeningPidsOfSocket } from "../../src/rails/listening-pids.ts";
import {
  ANY_IPV4_8000,
  ANY_IPV6_8000,
  createFakeProcfs,
  type FakeProcfs,
  LOOPBACK_IPV4_8000,
  tcpRow,
  unixRow,
} from "./fake-procfs.ts";

const isLinux = process.platform === "linux";

async function findIn(fake: FakeProcfs, address?: string) {
  const procRoot = await createFakeProcfs(fake);
  return findListeningPids(8000, address === undefined ? { procRoot } : { procRoot, address });
}

const unknown = (why: string) => ({ state: "unknown", why: expect.stringContaining(why) });

describe("findListeningPids", () => {
  test("the owner is the process with the socket among its open files", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(LOOPBACK_IPV4_8000, 77)], tcp6: [] },
      processes: [
        { pid: 10, openFiles: ["/dev/null", "socket:[7]", "socket:[770]", "pipe:[77]"] },
        { pid: 20, openFiles: ["/dev/null", "socket:[77]"] },
      ],
    });
    expect(found).toEqual({ state: "found", pids: [20] });
  });

  test("a listener on [::] is found in tcp6, and without tcp", async () => {
    const found = await findIn({
      tables: { tcp6: [tcpRow(ANY_IPV6_8000, 66)] },
      processes: [{ pid: 20, openFiles: ["socket:[66]"] }],
    });
    expect(found).toEqual({ state: "found", pids: [20] });
  });

  test("without IPv6 there is no tcp6, and tcp is enough", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)] },
      processes: [{ pid: 20, openFiles: ["socket:[77]"] }],
    });
    expect(found).toEqual({ state: "found", pids: [20] });
  });

  test("workers that share one socket, and sockets that share the port, are all found", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77), tcpRow(ANY_IPV4_8000, 78)] },
      processes: [
        { pid: 100, openFiles: ["socket:[78]"] },
        { pid: 9, openFiles: ["socket:[77]", "socket:[77]"] },
        { pid: 30, openFiles: ["socket:[77]"] },
      ],
    });
    expect(found).toEqual({ state: "found", pids: [9, 30, 100] });
  });

  test("clients and other ports are not taken for the server", async () => {
    const established = tcpRow(LOOPBACK_IPV4_8000, 77, "01");
    const otherPort = tcpRow("0100007F:1F41", 77);
    const found = await findIn({
      tables: { tcp: [established, otherPort] },
      processes: [{ pid: 20, openFiles: ["socket:[77]"] }],
    });
    expect(found).toEqual(unknown("nothing in this network namespace listens on port 8000"));
  });

  test("of two servers on one port the address decides", async () => {
    const fake: FakeProcfs = {
      tables: { tcp: [tcpRow(LOOPBACK_IPV4_8000, 77), tcpRow("070200C0:1F40", 78)] },
      processes: [
        { pid: 10, openFiles: ["socket:[77]"] },
        { pid: 20, openFiles: ["socket:[78]"] },
      ],
    };
    expect(await findIn(fake, "127.0.0.1")).toEqual({ state: "found", pids: [10] });
    expect(await findIn(fake, "192.0.2.7")).toEqual({ state: "found", pids: [20] });
    expect(await findIn(fake, "::1")).toEqual(unknown("listens on port 8000 at ::1"));
    expect(await findIn(fake)).toEqual({ state: "found", pids: [10, 20] });
  });

  test("an owner behind files that cannot be read is unknown, with what to do", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)] },
      processes: [
        { pid: 10, openFiles: ["/dev/null"] },
        { pid: 20, openFiles: "unreadable" },
        { pid: 21, openFiles: "unreadable" },
      ],
    });
    expect(found).toEqual(unknown("another user (the open files of 2 processes cannot be read)"));
    expect(found).toEqual(unknown("run as root or give --rail-devices"));
  });

  test("files that cannot be read do not matter once the owner is found", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)] },
      processes: [
        { pid: 10, openFiles: "unreadable" },
        { pid: 20, openFiles: ["socket:[77]"] },
      ],
    });
    expect(found).toEqual({ state: "found", pids: [20] });
  });

  test("one of two sockets without an owner in sight makes the answer unknown", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)], tcp6: [tcpRow(ANY_IPV6_8000, 66)] },
      processes: [
        { pid: 10, openFiles: ["socket:[77]"] },
        { pid: 20, openFiles: "unreadable" },
      ],
    });
    expect(found).toEqual(unknown("another user"));
  });

  test("an owner that nobody sees is unknown, and is not called another user's", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)] },
      processes: [{ pid: 10 }, { pid: 20, openFiles: "gone" }],
    });
    expect(found).toEqual(unknown("no visible process owns port 8000"));
  });

  test("docker-proxy is not the server, and is named", async () => {
    const found = await findIn({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)] },
      processes: [{ pid: 20, name: "docker-proxy", openFiles: ["socket:[77]"] }],
    });
    const why = "port 8000 belongs to docker-proxy: the server runs in a container";
    expect(found).toEqual({ state: "unknown", why });
  });

  test("a procfs that is not there is unknown, with the code", async () => {
    const found = await findListeningPids(8000, { procRoot: "/no/such/proc" });
    expect(found).toEqual({ state: "unknown", why: "/no/such/proc could not be read (ENOENT)" });
  });

  test("on another system it is unknown, and the system is named", async () => {
    vi.spyOn(process, "platform", "get").mockReturnValue("darwin");
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await findListeningPids(8000)).toEqual(unknown("this is darwin"));
    expect(await findListeningPidsOfSocket("/x.sock")).toEqual(unknown("this is darwin"));
  });

  test.runIf(isLinux).each(["127.0.0.1", "0.0.0.0"])(
    "a real server on %s is this process",
    async (host) => {
      const server = createServer();
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => server.listen(0, host, resolve));
      const address = server.address();
      if (address === null || typeof address === "string") throw new Error("not a TCP port");
      const found = await findListeningPids(address.port, { address: "127.0.0.1" });
      expect(found).toEqual({ state: "found", pids: [process.pid] });
    },
  );
});

describe("findListeningPidsOfSocket", () => {
  const findSocketIn = async (fake: FakeProcfs) =>
    findListeningPidsOfSocket("/run/x.sock", { procRoot: await createFakeProcfs(fake) });

  test("the owner of the socket bound to exactly that path is found", async () => {
    const found = await findSocketIn({
      tables: { unix: [unixRow("/run/x.sock2", 4), unixRow("/run/x.sock", 5)] },
      processes: [
        { pid: 10, openFiles: ["socket:[4]"] },
        { pid: 20, openFiles: ["socket:[5]"] },
      ],
    });
    expect(found).toEqual({ state: "found", pids: [20] });
  });

  test("a path that nobody listens on is unknown", async () => {
    const found = await findSocketIn({ tables: { unix: [unixRow("/run/x.sock", 5, "00000000")] } });
    expect(found).toEqual(unknown("listens on /run/x.sock"));
  });

  test("two sockets bound to one path, of which one has lost its file, are unknown", async () => {
    const found = await findSocketIn({
      tables: { unix: [unixRow("/run/x.sock", 5), unixRow("/run/x.sock", 6)] },
      processes: [{ pid: 20, openFiles: ["socket:[5]", "socket:[6]"] }],
    });
    expect(found).toEqual(unknown("several sockets are bound to /run/x.sock"));
  });

  test.runIf(isLinux)("a real socket is this process, also by a linked folder", async () => {
    const folder = await mkdtemp(join(tmpdir(), "joulemark-socket-"));
    const link = `${folder}-link`;
    await symlink(folder, link);
    const server = createServer();
    onTestFinished(async () => {
      server.close();
      await rm(link);
      await rm(folder, { recursive: true });
    });
    await new Promise<void>((resolve) => server.listen(join(folder, "x.sock"), resolve));
    for (const path of [join(folder, "x.sock"), join(link, "x.sock")]) {
      const found = await findListeningPidsOfSocket(path);
      expect(found).toEqual({ state: "found", pids: [process.pid] });
    }
  });
});
