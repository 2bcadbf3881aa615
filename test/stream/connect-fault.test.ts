import { describe, expect, test } from "vitest";
import { connectFault, resetFault } from "../../src/stream/connect-fault.ts";

const refused = (address: string, code = "ECONNREFUSED"): Error =>
  Object.assign(new Error(`connect ${code}`), { code, address, port: 80 });

describe("no connection", () => {
  test("S74: every address that was tried is named", () => {
    const error = new AggregateError([refused("127.0.0.1"), refused("::1")]);
    expect(connectFault(error)).toEqual({
      errorKind: "connect_failed",
      code: "ECONNREFUSED",
      message: "no connection: ECONNREFUSED 127.0.0.1 port 80; ECONNREFUSED ::1 port 80",
    });
  });

  test.for(["EMFILE", "ENFILE", "ENOBUFS", "ENOMEM", "EADDRNOTAVAIL"])(
    "S85: %s is this machine's limit, not the server's",
    (code) => {
      expect(connectFault(refused("127.0.0.1", code))).toMatchObject({
        errorKind: "client_error",
        code,
      });
    },
  );

  test("an address that this machine lacks does not hide that another one refused", () => {
    const error = new AggregateError([refused("::1", "EADDRNOTAVAIL"), refused("127.0.0.1")]);
    expect(connectFault(error).errorKind).toBe("connect_failed");
  });

  test("a unix socket that is not there is named by its path", () => {
    const error = Object.assign(new Error("connect ENOENT"), {
      code: "ENOENT",
      address: "/x.sock",
    });
    expect(connectFault(error).message).toBe("no connection: ENOENT /x.sock");
  });

  test("what is no error of the system is told by its own words", () => {
    expect(connectFault(new Error("bad certificate")).message).toBe(
      "no connection: bad certificate",
    );
    expect(connectFault("?").message).toBe("no connection: unknown error");
  });
});

test("a reset says whether a response had begun", () => {
  const error = Object.assign(new Error("read"), { code: "ECONNRESET" });
  expect(resetFault(error, false).message).toMatch(/before any byte of a response \(ECONNRESET\)$/);
  expect(resetFault(undefined, true).message).toMatch(/while the response came$/);
});
