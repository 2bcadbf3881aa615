import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { JoulemarkError } from "../../src/errors.ts";
import { parseDialAddress } from "../../src/target/dial-address.ts";
import { parseEndpointAddress, withoutLogin } from "../../src/target/endpoint-address.ts";

const addressOf = (text: string) => parseEndpointAddress(text).address;

function errorOf(text: string, endpoint?: "chat" | "completions"): JoulemarkError {
  try {
    parseEndpointAddress(text, endpoint);
  } catch (error) {
    if (error instanceof JoulemarkError) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

describe("base URLs (S73)", () => {
  test.each([
    ["http://h:8000", "http://h:8000/v1/chat/completions"],
    ["http://h:8000/", "http://h:8000/v1/chat/completions"],
    ["http://h:8000/v1", "http://h:8000/v1/chat/completions"],
    ["http://h:8000/v1/", "http://h:8000/v1/chat/completions"],
    ["https://x/api/v1", "https://x/api/v1/chat/completions"],
    ["https://x/v1beta/openai/", "https://x/v1beta/openai/chat/completions"],
    ["https://x/av1", "https://x/av1/v1/chat/completions"],
    [
      "https://x/openai/deployments/d/chat/completions?api-version=1",
      "https://x/openai/deployments/d/chat/completions?api-version=1",
    ],
    ["https://x/v1?api-version=1", "https://x/v1/chat/completions?api-version=1"],
    ["http://h:8000/v1#part", "http://h:8000/v1/chat/completions"],
    ["HTTP://H:80/v1", "http://h/v1/chat/completions"],
    ["h:8000", "http://h:8000/v1/chat/completions"],
    ["localhost:8000/v1", "http://localhost:8000/v1/chat/completions"],
    [" 127.0.0.1:8000\n", "http://127.0.0.1:8000/v1/chat/completions"],
    ["http:8000", "http://http:8000/v1/chat/completions"],
    ["[::1]:8000", "http://[::1]:8000/v1/chat/completions"],
    ["::1", "http://[::1]/v1/chat/completions"],
    ["https://[2001:db8::1]/v1", "https://[2001:db8::1]/v1/chat/completions"],
  ])("%j is asked at %s", (text, requestUrl) => {
    expect(addressOf(text).requestUrl).toBe(requestUrl);
  });

  test("all three addresses of one base", () => {
    expect(addressOf("https://x:8443/api/v1/")).toEqual({
      baseUrl: "https://x:8443/api/v1",
      requestUrl: "https://x:8443/api/v1/chat/completions",
      rootUrl: "https://x:8443/api",
      endpoint: "chat",
    });
  });

  test("a whole endpoint says which it is", () => {
    expect(addressOf("http://h/v1/completions")).toMatchObject({
      endpoint: "completions",
      baseUrl: "http://h/v1",
    });
    expect(errorOf("http://h/v1/completions", "chat").message).toContain("completions endpoint");
  });

  test("a zone is dialled, and left out of the URL, which cannot hold it", () => {
    expect(addressOf("http://[fe80::1%25eth0]:8000/v1")).toMatchObject({
      requestUrl: "http://[fe80::1]:8000/v1/chat/completions",
      dialAddress: "fe80::1%eth0",
    });
    expect(addressOf("fe80::1%eth0").dialAddress).toBe("fe80::1%eth0");
  });
});

describe("unix sockets", () => {
  test.each([
    ["unix:/run/v.sock", "/run/v.sock", "http://localhost/v1/chat/completions"],
    ["unix:///run/v.sock", "/run/v.sock", "http://localhost/v1/chat/completions"],
    ["unix:/run/v.sock:/api/v1", "/run/v.sock", "http://localhost/api/v1/chat/completions"],
    ["http+unix://%2Frun%2Fv.sock/v1", "/run/v.sock", "http://localhost/v1/chat/completions"],
    ["https+unix://%2Frun%2FV.sock", "/run/V.sock", "https://localhost/v1/chat/completions"],
    ["unix:./my%20v.sock", "./my v.sock", "http://localhost/v1/chat/completions"],
  ])("%s", (text, socketPath, requestUrl) => {
    expect(addressOf(text)).toMatchObject({ socketPath, requestUrl });
  });

  test("the base URL of a socket is read as the same socket again", () => {
    const { baseUrl } = addressOf("unix:/run/my%20v.sock:/v1");
    expect(baseUrl).toBe("http+unix://%2Frun%2Fmy%20v.sock/v1");
    expect(parseDialAddress(new URL(baseUrl))).toEqual({ kind: "socket", path: "/run/my v.sock" });
    expect(addressOf(baseUrl).baseUrl).toBe(baseUrl);
  });
});

describe("what is secret in an address", () => {
  test("user and password come out decoded, and stand in no address", () => {
    const parsed = parseEndpointAddress("http://us%40er:SECRET%2F123@h:1/v1");
    expect(parsed.login).toEqual({ user: "us@er", password: "SECRET/123" });
    expect(inspect(parsed.address)).not.toMatch(/SECRET|us.*er/);
  });

  test("without a scheme too, and a percent sign that encodes nothing stays", () => {
    expect(parseEndpointAddress("user:50%@h").login).toEqual({ user: "user", password: "50%" });
    expect(parseEndpointAddress("http+unix://u:p@%2Frun%2Fx/v1").login?.password).toBe("p");
  });

  test("values of the query that are keys by their name", () => {
    const { querySecrets } = parseEndpointAddress(
      "https://h/v1?api-version=1&key=SECRET&x_token=T",
    );
    expect(querySecrets).toEqual(["SECRET", "T"]);
  });

  test.each([
    "http://user:SECRET123@h:99999/",
    "ftp://user:SECRET123@h/",
    "http://user:SECRET123@/",
    "http:/user:SECRET123@h",
    "http://user:SECRET/123@h/",
    "user:SECRET123@",
    "http://h:x/?key=SECRET123",
  ])("%s is refused without showing it", (text) => {
    const error = errorOf(text);
    expect(error.code).toBe("bad_option");
    expect(inspect(error)).not.toContain("SECRET");
  });

  test("a text that is no address loses all before its last @", () => {
    expect(withoutLogin("http://a:b@c@h:x/")).toBe("http://[redacted]@h:x/");
    expect(withoutLogin("a:b@h")).toBe("[redacted]@h");
    expect(withoutLogin("http://h/?a=b&key=S#x")).toBe("http://h/?a=[redacted]&key=[redacted]#x");
  });
});

describe("what cannot be an address", () => {
  test.each([
    ["", "empty"],
    ["   ", "empty"],
    ["http://", "not a URL"],
    ["http:h:8000", "://"],
    ["http:/h", "://"],
    ["https//h", "://"],
    ["ftp://h", "ftp:"],
    ["http://h:0", "port 0"],
    ["http://h:65536", "not a URL"],
    ["http://a b/", "not a URL"],
    ["unix://var/run/x.sock", "unix socket"],
    ["unix:8000", "unix socket"],
  ])("%j: %s", (text, reason) => {
    const { message, code } = errorOf(text);
    expect(code).toBe("bad_option");
    expect(message).toContain(reason);
    expect(message).toContain("--target");
    expect(message).toContain("http://127.0.0.1:8000/v1");
  });
});
