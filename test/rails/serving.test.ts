import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, expect, onTestFinished, test } from "vitest";
import { findServingDevices } from "../../src/rails/serving.ts";
import {
  ANY_IPV4_8000,
  createFakeProcfs,
  type FakeProcfs,
  LOOPBACK_IPV4_8000,
  tcpRow,
  unixRow,
} from "./fake-procfs.ts";

/** A server (10) with two engines (11, 12) below a shell (2), and another user of the GPUs (50). */
const VLLM: FakeProcfs = {
  tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)], unix: [unixRow("/run/x.sock", 88)] },
  processes: [
    { pid: 2, parentPid: 1, name: "bash" },
    { pid: 10, parentPid: 2, name: "vllm", openFiles: ["socket:[77]", "socket:[88]"] },
    { pid: 11, parentPid: 10, name: "VLLM::EngineCor" },
    { pid: 12, parentPid: 11, name: "VLLM::Worker_TP" },
    { pid: 50, parentPid: 2, name: "python3" },
  ],
};

const app = (deviceUuid: string, pid: number) => ({ deviceUuid, pid });

describe("findServingDevices", () => {
  test("the GPUs of the listener's descendants serve, and no others", async () => {
    const procRoot = await createFakeProcfs(VLLM);
    const computeApps = [app("GPU-c", 50), app("GPU-b", 12), app("GPU-a", 11), app("GPU-b", 11)];
    expect(await findServingDevices({ port: 8000, computeApps, procRoot })).toEqual({
      state: "found",
      deviceUuids: ["GPU-b", "GPU-a"],
      pids: [12, 11],
      ownPids: [10, 11, 12],
      foreignPids: [],
      how: "port 8000 belongs to pid 10 (vllm), which computes as pid 12, 11",
    });
  });

  test("a listener that computes itself serves, as llama.cpp does", async () => {
    const procRoot = await createFakeProcfs(VLLM);
    const computeApps = [app("GPU-a", 10)];
    const found = await findServingDevices({ port: 8000, computeApps, procRoot });
    expect(found).toMatchObject({ state: "found", deviceUuids: ["GPU-a"], pids: [10] });
  });

  test("other processes on the serving GPUs are told, those on other GPUs not", async () => {
    const procRoot = await createFakeProcfs(VLLM);
    const computeApps = [
      app("GPU-a", 11),
      app("GPU-a", 50),
      app("GPU-b", 12),
      app("GPU-b", 50),
      app("GPU-b", 9999),
      app("GPU-c", 2),
    ];
    const found = await findServingDevices({ port: 8000, computeApps, procRoot });
    expect(found).toMatchObject({ deviceUuids: ["GPU-a", "GPU-b"], foreignPids: [50, 9999] });
  });

  test("a unix socket leads to the same GPUs", async () => {
    const procRoot = await createFakeProcfs(VLLM);
    const computeApps = [app("GPU-a", 11), app("GPU-b", 50)];
    const found = await findServingDevices({ socketPath: "/run/x.sock", computeApps, procRoot });
    expect(found).toMatchObject({ state: "found", deviceUuids: ["GPU-a"], pids: [11] });
  });

  test("a parent or sibling of the listener that computes is not taken for the server", async () => {
    const procRoot = await createFakeProcfs(VLLM);
    const computeApps = [app("GPU-a", 2), app("GPU-b", 50)];
    const found = await findServingDevices({ port: 8000, computeApps, procRoot });
    expect(found).toEqual({
      state: "unknown",
      why: "port 8000 belongs to pid 10 (vllm), and no compute process of the driver's list is that or a descendant",
    });
  });

  test("a tunnel that listens is named, since it is why nothing computes below it", async () => {
    const procRoot = await createFakeProcfs({
      tables: { tcp: [tcpRow(LOOPBACK_IPV4_8000, 77)] },
      processes: [{ pid: 30, name: "ssh", openFiles: ["socket:[77]"] }],
    });
    const computeApps = [app("GPU-a", 50)];
    const found = await findServingDevices({ port: 8000, computeApps, procRoot });
    expect(found).toHaveProperty(
      "why",
      expect.stringContaining("port 8000 belongs to pid 30 (ssh)"),
    );
  });

  test("an address picks the server among several on one port", async () => {
    const procRoot = await createFakeProcfs({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77), tcpRow(LOOPBACK_IPV4_8000, 78)] },
      processes: [
        { pid: 10, openFiles: ["socket:[77]"] },
        { pid: 20, openFiles: ["socket:[78]"] },
      ],
    });
    const computeApps = [app("GPU-a", 10), app("GPU-b", 20)];
    const at = (address: string) =>
      findServingDevices({ port: 8000, address, computeApps, procRoot });
    expect(await at("127.0.0.1")).toMatchObject({ deviceUuids: ["GPU-b"] });
    expect(await at("192.0.2.7")).toMatchObject({ deviceUuids: ["GPU-a"] });
  });

  test("an empty list of compute processes is unknown, with where that is usual", async () => {
    const procRoot = await createFakeProcfs(VLLM);
    expect(await findServingDevices({ port: 8000, computeApps: [], procRoot })).toEqual({
      state: "unknown",
      why: "the driver lists no compute processes (usual in containers and on WSL)",
    });
  });

  test("why the listener is unknown is passed on", async () => {
    const procRoot = await createFakeProcfs({
      tables: { tcp: [tcpRow(ANY_IPV4_8000, 77)] },
      processes: [{ pid: 30, name: "docker-proxy", openFiles: ["socket:[77]"] }],
    });
    const computeApps = [app("GPU-a", 30)];
    const why = "port 8000 belongs to docker-proxy: the server runs in a container";
    expect(await findServingDevices({ port: 8000, computeApps, procRoot })).toEqual({
      state: "unknown",
      why,
    });
  });
});

describe("a real server that forks its engine", () => {
  const SERVER = `
    const { spawn } = require("node:child_process");
    const { createServer } = require("node:net");
    if (process.argv[1] === "engine") {
      process.on("disconnect", () => process.exit());
      process.send("up");
    } else {
      const engine = spawn(
        process.execPath,
        ["-e", process.env.SERVER, "engine"],
        { stdio: ["ignore", "ignore", "ignore", "ipc"] },
      );
      const server = createServer().listen(0, "127.0.0.1", () => {
        engine.once("message", () => console.log(server.address().port, engine.pid));
      });
    }`;

  test.runIf(process.platform === "linux")(
    "is known by its port; this test's process is foreign",
    async () => {
      const server = spawn(process.execPath, ["-e", SERVER], {
        env: { ...process.env, SERVER },
        stdio: ["ignore", "pipe", "inherit"],
      });
      onTestFinished(() => void server.kill());
      const [line] = (await once(createInterface(server.stdout), "line")) as [string];
      const [port, enginePid] = line.split(" ").map(Number) as [number, number];
      const computeApps = [
        app("GPU-a", enginePid),
        app("GPU-a", process.pid),
        app("GPU-b", process.pid),
      ];
      expect(await findServingDevices({ port, address: "127.0.0.1", computeApps })).toEqual({
        state: "found",
        deviceUuids: ["GPU-a"],
        pids: [enginePid],
        ownPids: [server.pid, enginePid],
        foreignPids: [process.pid],
        how: expect.stringMatching(
          `^port ${port} belongs to pid ${server.pid} \\(.+\\), which computes`,
        ),
      });
    },
  );
});
