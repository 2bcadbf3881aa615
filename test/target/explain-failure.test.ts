import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { explainFailure } from "../../src/target/explain-failure.ts";
import { isInContainer } from "../../src/target/in-container.ts";

const failure = (code: string, more = {}) => Object.assign(new Error(code), { code, ...more });
const outside = { shownUrl: "http://h/v1", isInContainer: false };
const inside = { shownUrl: "http://h/v1", isInContainer: true };

describe("explainFailure", () => {
  test.each([
    ["ECONNREFUSED", "connection_failed", "nothing listens there"],
    ["ENOTFOUND", "connection_failed", "no address"],
    ["EAI_AGAIN", "connection_failed", "name server"],
    ["EHOSTUNREACH", "connection_failed", "no way"],
    ["ETIMEDOUT", "connection_failed", "firewall"],
    ["ENOENT", "connection_failed", "no such socket"],
    ["ECONNRESET", "connection_reset", "closed the connection"],
    ["EMFILE", "client_limit", "ulimit -n"],
    ["HPE_INVALID_CONSTANT", "malformed", "does not speak HTTP"],
    ["EWHATEVER", "connection_failed", "the connection failed (EWHATEVER)"],
  ])("%s is %s", (code, errorKind, said) => {
    const explained = explainFailure(failure(code), outside);
    expect(explained.errorKind).toBe(errorKind);
    expect(explained.message).toContain(said);
    expect(explained.message).toContain("http://h/v1");
    expect(explained.message).toContain(code);
  });

  test("each address that was tried is named once", () => {
    const errors = [
      failure("ECONNREFUSED", { address: "::1", port: 8000 }),
      failure("ECONNREFUSED", { address: "127.0.0.1", port: 8000 }),
      failure("ECONNREFUSED", { address: "127.0.0.1", port: 8000 }),
    ];
    const both = Object.assign(new AggregateError(errors), { code: "ECONNREFUSED" });
    expect(explainFailure(both, outside).message).toContain(
      "(ECONNREFUSED at [::1]:8000 and at 127.0.0.1:8000)",
    );
  });

  test("a socket is named by its path", () => {
    const { message } = explainFailure(failure("ECONNREFUSED", { address: "/run/x" }), outside);
    expect(message).toContain("(ECONNREFUSED at /run/x)");
  });

  test("localhost in a container gets a hint, and nothing else does (S79)", () => {
    const local = failure("ECONNREFUSED", { address: "127.0.0.1", port: 8000 });
    expect(explainFailure(local, inside).message).toMatch(/host\.docker\.internal.*--network host/);
    expect(explainFailure(local, outside).message).not.toContain("container");
    const other = failure("ECONNREFUSED", { address: "10.0.0.2", port: 8000 });
    expect(explainFailure(other, inside).message).not.toContain("container");
  });

  test("what is no error at all", () => {
    expect(explainFailure("text", outside).message).toContain("unknown error");
  });
});

describe("isInContainer", () => {
  function root(files: Readonly<Record<string, string>>): string {
    const folder = mkdtempSync(join(tmpdir(), "joulemark-root-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, ".."), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return folder;
  }

  test.each([
    [{ ".dockerenv": "" }, true],
    [{ "run/.containerenv": "" }, true],
    [{ "proc/1/cgroup": "0::/kubepods/pod1\n" }, true],
    [{ "proc/1/cgroup": "0::/init.scope\n" }, false],
    [{}, false],
  ])("with %j: %s", (files, expected) => {
    expect(isInContainer(root(files))).toBe(expected);
  });

  test("this machine says one or the other", () => {
    expect(typeof isInContainer()).toBe("boolean");
  });
});
