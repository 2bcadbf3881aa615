import { describe, expect, test } from "vitest";
import { parseDialAddress } from "../../src/target/dial-address.ts";

const host = (name: string, port: number) => ({ kind: "host", host: name, port });
const socket = (path: string) => ({ kind: "socket", path });

describe("parseDialAddress", () => {
  test.each([
    ["http://127.0.0.1:8000/v1", host("127.0.0.1", 8000)],
    ["HTTP://LocalHost", host("localhost", 80)],
    ["https://api.example.org/v1", host("api.example.org", 443)],
    ["http://h:80", host("h", 80)],
    ["https://h:80", host("h", 80)],
    ["127.0.0.1:8000", host("127.0.0.1", 8000)],
    ["localhost:8000/v1", host("localhost", 8000)],
    ["localhost", host("localhost", 80)],
    ["  gpu-box:8000\n", host("gpu-box", 8000)],
    ["[::1]:8000", host("::1", 8000)],
    ["::1", host("::1", 80)],
    ["unix.example.org:8000", host("unix.example.org", 8000)],
  ])("%j is dialled at its host and port, with the scheme's port if none", (text, expected) => {
    expect(parseDialAddress(text)).toEqual(expected);
  });

  test.each([
    ["http://127.1:8000", "127.0.0.1"],
    ["0x7f.1", "127.0.0.1"],
    ["http://2130706433", "127.0.0.1"],
    ["http://0177.0.0.1", "127.0.0.1"],
    ["http://0", "0.0.0.0"],
    ["http://[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["http://①②⑦.0.0.1", "127.0.0.1"],
  ])("%s is the address that a client makes of it", (text, expected) => {
    expect(parseDialAddress(text)).toMatchObject({ kind: "host", host: expected });
  });

  test.each([
    ["http://[fe80::1%eth0]:8000/v1", host("fe80::1%eth0", 8000)],
    ["http://[fe80::1%25eth0]:8000/v1", host("fe80::1%eth0", 8000)],
    ["[fe80::1%3]", host("fe80::1%3", 80)],
    ["https://me:pw@[FE80::1%eth0]/", host("fe80::1%eth0", 443)],
    ["fe80::1%eth0", host("fe80::1%eth0", 80)],
  ])("%s keeps its zone", (text, expected) => {
    expect(parseDialAddress(text)).toEqual(expected);
  });

  test.each([
    ["unix:/run/vllm.sock", socket("/run/vllm.sock")],
    ["unix:///run/vllm.sock", socket("/run/vllm.sock")],
    ["unix:./vllm.sock", socket("./vllm.sock")],
    ["unix:/run/my%20server.sock", socket("/run/my server.sock")],
    ["unix:/run/vllm.sock:/v1/models", socket("/run/vllm.sock")],
    ["http+unix://%2Frun%2Fvllm.sock/v1", socket("/run/vllm.sock")],
    ["https+unix://%2Frun%2FvLLM.sock", socket("/run/vLLM.sock")],
    ["http+unix:///run/vllm.sock:/v1", socket("/run/vllm.sock")],
  ])("%s is a unix socket", (text, expected) => {
    expect(parseDialAddress(text)).toEqual(expected);
  });

  test("a URL object reads as its text does", () => {
    expect(parseDialAddress(new URL("http://127.1:8000/v1"))).toEqual(host("127.0.0.1", 8000));
  });

  test.each([
    "",
    "http://",
    "http://h:99999",
    "http://a b",
    "http://[::1",
    "http://[::g%eth0]",
    "ftp://h",
    "file:///etc/passwd",
    "unix:",
    "unix:/",
    "unix:8000",
    "unix://var/run/x.sock",
    "http+unix://%2",
  ])("%j cannot be read", (text) => {
    expect(parseDialAddress(text)).toBeUndefined();
  });

  test("nothing of a user name, password, path or query is kept", () => {
    for (const text of [
      "http://me:SECRET123@127.0.0.1:8000/v1/SECRET123?key=SECRET123#SECRET123",
      "me:SECRET123@127.0.0.1:8000",
      "http+unix://me:SECRET123@%2Frun%2Fx.sock/SECRET123",
    ]) {
      const dial = parseDialAddress(text);
      expect(dial).toBeDefined();
      expect(JSON.stringify(dial)).not.toMatch(/SECRET123|me/);
    }
  });
});
