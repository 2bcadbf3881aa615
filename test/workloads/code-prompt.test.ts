import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { CODE_PROMPT } from "../../src/workloads/code-prompt.ts";

describe("the code prompt", () => {
  test("is the one of its version: a change of the text needs a new version and a new hash", () => {
    const hash = createHash("sha256").update(CODE_PROMPT.text, "utf8").digest("hex");
    expect({ version: CODE_PROMPT.version, sha256: hash }).toEqual({
      version: "code-refactoring-1",
      sha256: "92453ffc092a8b3c4d102ff6069a922a913b58cf118ecb1572f10b2f4146d1c4",
    });
    expect(CODE_PROMPT.sha256).toBe(hash);
  });

  test("has 400 to 600 words, code among them, in plain ASCII", () => {
    const words = CODE_PROMPT.text.split(/\s+/).filter(Boolean).length;
    expect(words).toBeGreaterThanOrEqual(400);
    expect(words).toBeLessThanOrEqual(600);
    expect(CODE_PROMPT.text).toContain("```python\n");
    expect(CODE_PROMPT.text).toMatch(/^[\n -~]*$/);
  });
});
