import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import { findLocality, type ResolvedAddress } from "../../src/target/locality.ts";

const resolvesTo = (addresses: string[]) => async (): Promise<ResolvedAddress[]> =>
  addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

const neverAsked = async (): Promise<never> => {
  throw new Error("an IP address needs no resolver");
};

/** Reserved for ever (RFC 1112, class E): nobody answers there. */
const NOBODY = "240.0.0.1";

const servers: Server[] = [];

async function listenOn(host: string): Promise<number> {
  const server = createServer((socket) => socket.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("not a TCP port");
  return address.port;
}

async function closedPort(): Promise<number> {
  const port = await listenOn("127.0.0.1");
  await closeServers();
  return port;
}

async function closeServers(): Promise<void> {
  const closing = servers.splice(0);
  await Promise.all(closing.map((server) => new Promise((resolve) => server.close(resolve))));
}

afterEach(closeServers);

describe("a target given by IP address", () => {
  test.each([
    "127.0.0.1:8000",
    "http://127.1:8000/v1",
    "http://0x7f.1:8000",
    "http://2130706433:8000",
    "http://[::ffff:127.0.0.1]:8000",
    "[::1]:8000",
    "http://127.99.98.97:8000",
  ])("%s is local, without asking a resolver", async (target) => {
    const found = await findLocality(target, { lookup: neverAsked, ownAddresses: [] });
    expect(found).toMatchObject({ state: "local", port: 8000 });
  });

  test.each([
    ["http://0.0.0.0:8000", "127.0.0.1"],
    ["http://[::]:8000", "::1"],
    ["http://[::ffff:0.0.0.0]:8000", "127.0.0.1"],
  ])("%s is connected to as loopback", async (target, address) => {
    expect(await findLocality(target)).toMatchObject({ state: "local", address, port: 8000 });
  });

  test("this machine's own interface address is local, a neighbour's is remote", async () => {
    const ownAddresses = ["192.0.2.7", "2001:db8::7"];
    expect(await findLocality("http://192.0.2.7", { ownAddresses })).toEqual({
      state: "local",
      address: "192.0.2.7",
      port: 80,
      how: "192.0.2.7 is an address of this machine",
    });
    expect(await findLocality("https://[2001:db8::8]", { ownAddresses })).toEqual({
      state: "remote",
      address: "2001:db8::8",
      port: 443,
      how: "2001:db8::8 is not an address of this machine",
    });
  });

  test("by default every address of every real interface is local, with its zone", async () => {
    for (const [name, entries = []] of Object.entries(networkInterfaces())) {
      for (const entry of entries) {
        const isLinkLocal = entry.family === "IPv6" && entry.scopeid !== 0;
        const host = entry.family === "IPv4" ? entry.address : `[${entry.address}]`;
        const target = isLinkLocal ? `[${entry.address}%${name}]` : host;
        expect(await findLocality(`http://${target}:8000`)).toMatchObject({ state: "local" });
      }
    }
    expect(await findLocality("http://203.0.113.1")).toMatchObject({ state: "remote" });
  });

  test("a link-local address behind another zone is remote", async () => {
    const ownAddresses = ["fe80::1%eth0"];
    const at = (zone: string) => findLocality(`http://[fe80::1%${zone}]:1`, { ownAddresses });
    expect(await at("eth0")).toMatchObject({ state: "local", address: "fe80::1%eth0" });
    expect(await at("eth1")).toMatchObject({ state: "remote", address: "fe80::1%eth1" });
  });
});

describe("a target that is a unix socket", () => {
  test("is local, by its path and without a port", async () => {
    const local = {
      state: "local",
      address: "/run/x.sock",
      how: "a unix socket is on this machine",
    };
    expect(await findLocality("unix:/run/x.sock")).toEqual(local);
    expect(await findLocality("http+unix://%2Frun%2Fx.sock/v1")).toEqual(local);
  });
});

describe("a target given by name", () => {
  test("localhost is local, by the system's own resolver", async () => {
    const found = await findLocality("localhost:8000");
    expect(found).toMatchObject({ state: "local", port: 8000 });
    expect(found).toHaveProperty("how", expect.stringMatching(/^localhost resolves to /));
  });

  test("a name is local when all its addresses are: both families of S74", async () => {
    const lookup = resolvesTo(["::1", "127.0.0.1"]);
    expect(await findLocality("http://gpu-box:8000", { lookup })).toEqual({
      state: "local",
      address: "::1",
      port: 8000,
      how: "gpu-box resolves to ::1: ::1 is a loopback address",
    });
  });

  test("the text does not decide: localhost that resolves elsewhere is remote", async () => {
    const lookup = resolvesTo(["203.0.113.5"]);
    const found = await findLocality("http://localhost:8000", { lookup, ownAddresses: [] });
    expect(found).toMatchObject({ state: "remote", address: "203.0.113.5" });
  });

  test("a name that does not resolve is unknown, with the code", async () => {
    expect(await findLocality("http://no-such-host.invalid")).toEqual({
      state: "unknown",
      why: expect.stringMatching(/^no-such-host\.invalid could not be resolved \(E[A-Z_]+\)$/),
    });
    const lookup = async () => {
      throw Object.assign(new Error("getaddrinfo ENOTFOUND x"), { code: "ENOTFOUND" });
    };
    const why = "x could not be resolved (ENOTFOUND)";
    expect(await findLocality("x", { lookup })).toEqual({ state: "unknown", why });
  });

  test("a name without any address is unknown", async () => {
    const why = "x resolves to no address";
    expect(await findLocality("x", { lookup: resolvesTo([]) })).toEqual({ state: "unknown", why });
  });

  test("an abort ends a resolver that never answers", async () => {
    const controller = new AbortController();
    const lookup = () => new Promise<never>(() => {});
    const found = findLocality("x", { lookup, signal: controller.signal });
    controller.abort();
    const why = "x could not be resolved (aborted)";
    expect(await found).toEqual({ state: "unknown", why });
  });
});

describe("a name with local and other addresses", () => {
  test("is where a real connection ends up, whatever comes first", async () => {
    const port = await listenOn("127.0.0.1");
    for (const addresses of [
      ["127.0.0.1", NOBODY],
      [NOBODY, "127.0.0.1"],
    ]) {
      const lookup = resolvesTo(addresses);
      expect(await findLocality(`gpu-box:${port}`, { lookup })).toEqual({
        state: "local",
        address: "127.0.0.1",
        port,
        how: "gpu-box was connected to at 127.0.0.1: 127.0.0.1 is a loopback address",
      });
    }
  });

  const lanAddress = Object.values(networkInterfaces())
    .flatMap((entries = []) => entries)
    .find((entry) => entry.family === "IPv4" && !entry.internal)?.address;

  test.runIf(lanAddress)("is remote when the local one refuses and the other answers", async () => {
    const port = await listenOn(lanAddress!);
    const lookup = resolvesTo(["127.0.0.1", lanAddress!]);
    const found = await findLocality(`gpu-box:${port}`, { lookup, ownAddresses: [] });
    expect(found).toMatchObject({ state: "remote", address: lanAddress });
  });

  test("is unknown when no connection is made", async () => {
    const port = await closedPort();
    const lookup = resolvesTo([NOBODY, "127.0.0.1"]);
    const found = await findLocality(`gpu-box:${port}`, { lookup });
    const why = "gpu-box has local and other addresses, and connecting failed";
    expect(found).toEqual({ state: "unknown", why: expect.stringContaining(why) });
  });

  test("is unknown at once when the signal is already aborted", async () => {
    const lookup = resolvesTo([NOBODY, "127.0.0.1"]);
    const found = await findLocality("gpu-box", { lookup, signal: AbortSignal.abort() });
    expect(found).toEqual({ state: "unknown", why: expect.stringContaining("(aborted)") });
  });
});

/** A port on 127.0.0.1 that answers no connection: its listener sleeps, and its queue is full. */
async function hangingPort(): Promise<number> {
  const code = `
    const server = require("node:net").createServer();
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      require("node:fs").writeSync(1, String(server.address().port));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ["-e", code], { stdio: ["ignore", "pipe", "inherit"] });
  const [text] = await once(child.stdout, "data");
  const port = Number(text);
  const fillers = Array.from({ length: 4 }, () => connect({ port, host: "127.0.0.1" }));
  for (const filler of fillers) filler.on("error", () => {});
  onTestFinished(() => {
    for (const filler of fillers) filler.destroy();
    child.kill("SIGKILL");
  });
  // Linux queues one connection more than the backlog says.
  await Promise.all(fillers.slice(0, 2).map((filler) => once(filler, "connect")));
  return port;
}

describe.runIf(process.platform === "linux")("a connection that nobody answers", () => {
  test("is given up after 2 s", async () => {
    const port = await hangingPort();
    const lookup = resolvesTo([NOBODY, "127.0.0.1"]);
    expect(await findLocality(`gpu-box:${port}`, { lookup })).toEqual({
      state: "unknown",
      why: "gpu-box has local and other addresses, and connecting failed (no answer within 2 s)",
    });
  });

  test("is given up when the signal says so", async () => {
    const port = await hangingPort();
    const controller = new AbortController();
    const lookup = async () => {
      setImmediate(() => controller.abort());
      return resolvesTo([NOBODY, "127.0.0.1"])();
    };
    expect(await findLocality(`gpu-box:${port}`, { lookup, signal: controller.signal })).toEqual({
      state: "unknown",
      why: "gpu-box has local and other addresses, and connecting failed (aborted)",
    });
  });
});

describe("secrets in a target", () => {
  test("no answer holds the user name or the password", async () => {
    const lookup = async () => {
      throw new Error("SECRET123 is not a host");
    };
    for (const target of [
      "http://user:SECRET123@127.0.0.1:8000/v1",
      "http://user:SECRET123@203.0.113.5/v1?key=SECRET123",
      "user:SECRET123@gpu-box:8000",
      "http://user:SECRET123@gpu-box:99999",
      "http://user:SECRET123@[::1%lo]:8000",
      "SECRET123://gpu-box",
      "SECRET123 and more",
      "http+unix://user:SECRET123@%2Frun%2Fx.sock/v1",
      "unix://user:SECRET123@run/x.sock",
      "unix:SECRET123",
    ]) {
      const found = JSON.stringify(await findLocality(target, { lookup }));
      expect(found).not.toMatch(/SECRET123|user/);
    }
  });
});
