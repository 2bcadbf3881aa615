import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  isLoopbackAddress,
  isOwnAddress,
  isReachedByIpv4,
  isUnspecifiedAddress,
} from "../../src/target/local-address.ts";

const octet = fc.integer({ min: 0, max: 255 });
const dotted = (...octets: number[]) => octets.join(".");
const hexPair = (high: number, low: number) => (high * 256 + low).toString(16);

describe("isLoopbackAddress", () => {
  test.each([
    "127.0.0.1",
    "127.255.255.255",
    "::1",
    "0:0:0:0:0:0:0:1",
    "::1%lo",
    "::ffff:127.0.0.1",
    "::FFFF:127.0.0.1",
    "::ffff:7f00:1",
    "0:0:0:0:0:ffff:7f00:0001",
    "0000:0000:0000:0000:0000:ffff:127.8.8.8",
  ])("%s is loopback", (address) => {
    expect(isLoopbackAddress(address)).toBe(true);
  });

  test.each([
    "128.0.0.1",
    "126.255.255.255",
    "0.0.0.0",
    "10.127.0.1",
    "::",
    "::2",
    "::ffff:128.0.0.1",
    "::127.0.0.1",
    "7f00::1",
    "fe80::1%lo",
  ])("%s is not loopback", (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  });

  test.each(["localhost", "127.0.0.1.example.org", "127.1", "", "%lo", "127.0.0.1:80", "[::1]"])(
    "%j is no IP address, so it is not loopback",
    (text) => {
      expect(isLoopbackAddress(text)).toBe(false);
    },
  );

  test("every 127.a.b.c is loopback, dotted or mapped into IPv6 in either spelling", () => {
    fc.assert(
      fc.property(octet, octet, octet, (a, b, c) => {
        expect(isLoopbackAddress(dotted(127, a, b, c))).toBe(true);
        expect(isLoopbackAddress(`::ffff:${dotted(127, a, b, c)}`)).toBe(true);
        expect(isLoopbackAddress(`::ffff:${hexPair(127, a)}:${hexPair(b, c)}`)).toBe(true);
      }),
    );
  });

  test("no address that starts otherwise is loopback", () => {
    const other = octet.filter((first) => first !== 127);
    fc.assert(
      fc.property(other, octet, octet, octet, (first, a, b, c) => {
        expect(isLoopbackAddress(dotted(first, a, b, c))).toBe(false);
        expect(isLoopbackAddress(`::ffff:${dotted(first, a, b, c)}`)).toBe(false);
      }),
    );
  });

  test("no global IPv6 address (2000::/3) is loopback", () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const first = fc.integer({ min: 0x2000, max: 0x3fff }).map((value) => value.toString(16));
    fc.assert(
      fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (head, tail) => {
        expect(isLoopbackAddress([head, ...tail].join(":"))).toBe(false);
      }),
    );
  });
});

describe("isUnspecifiedAddress", () => {
  test.each(["0.0.0.0", "::", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0", "::ffff:0:0"])(
    "%s is unspecified",
    (address) => {
      expect(isUnspecifiedAddress(address)).toBe(true);
    },
  );

  test.each(["0.0.0.1", "127.0.0.1", "::1", "0", "*", ""])("%j is not", (text) => {
    expect(isUnspecifiedAddress(text)).toBe(false);
  });
});

describe("isReachedByIpv4", () => {
  test.each([
    ["192.0.2.1", true],
    ["::ffff:192.0.2.1", true],
    ["::ffff:c000:201", true],
    ["::", false],
    ["::192.0.2.1", false],
    ["2001:db8::1", false],
    ["localhost", false],
  ])("%s: %s", (address, expected) => {
    expect(isReachedByIpv4(address)).toBe(expected);
  });
});

describe("isOwnAddress", () => {
  test("an address is found in any spelling", () => {
    expect(isOwnAddress("2001:DB8:0:0::7", ["192.0.2.7", "2001:db8::7"])).toBe(true);
    expect(isOwnAddress("::ffff:192.0.2.7", ["192.0.2.7"])).toBe(true);
    expect(isOwnAddress("192.0.2.7", ["::ffff:c000:207"])).toBe(true);
  });

  test("a neighbour in the same network is not this machine", () => {
    expect(isOwnAddress("192.0.2.8", ["192.0.2.7"])).toBe(false);
    expect(isOwnAddress("192.0.2.7", [])).toBe(false);
  });

  test("the same link-local address behind another zone is another machine", () => {
    expect(isOwnAddress("fe80::1%eth0", ["fe80::1%eth0", "fe80::1%2"])).toBe(true);
    expect(isOwnAddress("fe80::1%2", ["fe80::1%eth0", "fe80::1%2"])).toBe(true);
    expect(isOwnAddress("fe80::1%eth1", ["fe80::1%eth0", "fe80::1%2"])).toBe(false);
  });

  test("a zone that one side lacks is not compared", () => {
    expect(isOwnAddress("fe80::1", ["fe80::1%eth0"])).toBe(true);
    expect(isOwnAddress("fe80::1%eth0", ["fe80::1"])).toBe(true);
  });

  test("what is no IP address is nobody's, on either side", () => {
    expect(isOwnAddress("gpu-box", ["gpu-box"])).toBe(false);
    expect(isOwnAddress("192.0.2.7", ["", "192.0.2.7"])).toBe(true);
  });
});
