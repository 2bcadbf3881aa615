import { describe, expect, test } from "vitest";
import { readApiPath } from "../../src/target/api-path.ts";

describe("readApiPath (S73)", () => {
  test.each([
    ["", "/v1/chat/completions", ""],
    ["/", "/v1/chat/completions", ""],
    ["/v1", "/v1/chat/completions", ""],
    ["/v1/", "/v1/chat/completions", ""],
    ["/v1//", "/v1/chat/completions", ""],
    ["/V1", "/V1/chat/completions", ""],
    ["/api", "/api/v1/chat/completions", "/api"],
    ["/api/v1", "/api/v1/chat/completions", "/api"],
    ["/v1beta/openai/", "/v1beta/openai/chat/completions", ""],
    ["/paas/v4", "/paas/v4/chat/completions", "/paas"],
    ["/v2.1", "/v2.1/chat/completions", ""],
    ["/v1/openai", "/v1/openai/chat/completions", ""],
    ["/av1", "/av1/v1/chat/completions", "/av1"],
    ["/v1x", "/v1x/v1/chat/completions", "/v1x"],
    ["/v", "/v/v1/chat/completions", "/v"],
    ["/vision", "/vision/v1/chat/completions", "/vision"],
  ])("%j is asked at %s, and its own pages are at %j", (path, requestPath, rootPath) => {
    expect(readApiPath(path)).toMatchObject({ requestPath, rootPath });
  });

  test("the completions endpoint is another path on the same base", () => {
    expect(readApiPath("/api/v1", "completions").requestPath).toBe("/api/v1/completions");
  });

  test.each([
    ["/v1/chat/completions", "chat", "/v1"],
    ["/v1/completions", "completions", "/v1"],
    ["/openai/deployments/x/chat/completions", "chat", "/openai/deployments/x"],
    ["/chat/completions", "chat", ""],
    ["/v1/chat/completions/", "chat", "/v1"],
  ])("%s is a whole endpoint and stays", (path, named, basePath) => {
    expect(readApiPath(path)).toMatchObject({ requestPath: path, named, basePath });
  });
});
