import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { JoulemarkError } from "../../src/errors.ts";
import { type CredentialOptions, readCredentials } from "../../src/target/credentials.ts";

const KEY = "sk-test-SECRET123";
const env = { API_KEY: ` ${KEY}\n`, EMPTY: "", TWO_LINES: "a\nb", TEAM_ID: "blue team", key: KEY };

function errorOf(options: CredentialOptions, login?: { user: string; password: string }) {
  try {
    readCredentials({ env, ...options }, login);
  } catch (error) {
    if (error instanceof JoulemarkError) return error;
    throw error;
  }
  throw new Error("taken");
}

function keyFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), "joulemark-key-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "key");
  writeFileSync(path, text);
  return path;
}

describe("where a key comes from", () => {
  test("nowhere", () => {
    expect(readCredentials({ env })).toEqual({
      headers: {},
      secrets: [],
      auth: "none",
      headerNames: [],
    });
  });

  test("a variable, without the line break that shells leave", () => {
    expect(readCredentials({ env, apiKeyEnv: "API_KEY" })).toMatchObject({
      headers: { authorization: `Bearer ${KEY}` },
      secrets: [KEY],
      auth: "bearer",
      apiKeyFrom: "the variable API_KEY",
    });
  });

  test("the process' own variables, by default", () => {
    expect(errorOf({ env: process.env, apiKeyEnv: "JOULEMARK_NO_SUCH" }).message).toContain(
      "--api-key-env JOULEMARK_NO_SUCH: there is no such environment variable",
    );
  });

  test("a file", () => {
    const path = keyFile(`${KEY}\n`);
    expect(readCredentials({ apiKeyFile: path })).toMatchObject({
      headers: { authorization: `Bearer ${KEY}` },
      apiKeyFrom: `the file ${path}`,
    });
  });

  test("user and password of the URL, as Basic", () => {
    const login = { user: "user", password: "SECRET:ü" };
    const basic = Buffer.from("user:SECRET:ü").toString("base64");
    expect(readCredentials({ env }, login)).toMatchObject({
      headers: { authorization: `Basic ${basic}` },
      secrets: ["SECRET:ü", basic],
      auth: "basic",
    });
  });

  test("a user name alone is a token", () => {
    expect(readCredentials({ env }, { user: KEY, password: "" }).secrets).toContain(KEY);
    const long = { user: "ghp_0123456789abcdef", password: "x" };
    expect(readCredentials({ env }, long).secrets).toContain(long.user);
  });

  test("other headers", () => {
    const headerEnv = ["X-Team=TEAM_ID", "api-key=API_KEY"];
    expect(readCredentials({ env, headerEnv })).toMatchObject({
      headers: { "x-team": "blue team", "api-key": KEY },
      auth: "header",
      headerNames: ["x-team", "api-key"],
    });
  });

  test("a header's token is secret with its scheme and without", () => {
    const headerEnv = ["Authorization=AUTH"];
    const { secrets } = readCredentials({ env: { AUTH: `Token ${KEY}` }, headerEnv });
    expect(secrets).toEqual([`Token ${KEY}`, KEY]);
  });
});

describe("what is refused, and never with the secret in the text", () => {
  test.each<[string, CredentialOptions, string]>([
    ["no such variable", { apiKeyEnv: "NO_SUCH" }, "NO_SUCH: there is no such"],
    ["an empty variable", { apiKeyEnv: "EMPTY" }, "is empty"],
    ["a line break within", { apiKeyEnv: "TWO_LINES" }, "line break"],
    ["the key instead of a name", { apiKeyEnv: KEY }, "takes the name of an environment variable"],
    ["a key that could be a name", { apiKeyEnv: "hf_SECRET123abc" }, "--api-key-env hf…: there is"],
    ["the same in capitals", { apiKeyEnv: "SECRET123" }, "--api-key-env SE…: there is"],
    ["two places", { apiKeyEnv: "API_KEY", apiKeyFile: "/x" }, "one of them"],
    ["no such file", { apiKeyFile: "/no/such/file" }, "/no/such/file could not be read (ENOENT)"],
    ["a folder", { apiKeyFile: "/" }, "EISDIR"],
    ["a header without a variable", { headerEnv: ["X-Team"] }, "NAME=ENV"],
    [
      "a header with its value",
      { headerEnv: [`X-Key=${KEY}`] },
      "--header-env X-Key= takes the name",
    ],
    ["a header's name with a space", { headerEnv: ["X Team=API_KEY"] }, "NAME=ENV"],
    ["a header of ours", { headerEnv: ["Host=API_KEY"] }, "joulemark sets host"],
    [
      "two times Authorization",
      { apiKeyEnv: "API_KEY", headerEnv: ["authorization=API_KEY"] },
      "both set Authorization",
    ],
  ])("%s", (_what, options, message) => {
    const error = errorOf(options);
    expect(error.code).toBe("bad_option");
    expect(error.message).toContain(message);
    expect(inspect(error, { depth: 9 })).not.toContain("SECRET123");
  });

  test("a key and a password at once", () => {
    const error = errorOf({ apiKeyEnv: "API_KEY" }, { user: "u", password: "SECRET123" });
    expect(error.message).toContain("both set Authorization");
    expect(inspect(error)).not.toContain("SECRET123");
  });

  test("an empty file", () => {
    expect(errorOf({ apiKeyFile: keyFile(" \n") }).message).toContain("is empty");
  });
});
