import { createHash } from "node:crypto";
import { expect, test } from "vitest";

const { tinyModel } = (await import("../../../examples/llama-server/tiny-model.mjs" as string)) as {
  tinyModel: (says?: "words" | "anything") => Buffer;
};

const digest = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

test("the tiny model is a GGUF of version 3, below 0.7 MB, and the same each time", () => {
  const model = tinyModel();
  expect(model.subarray(0, 4).toString()).toBe("GGUF");
  expect(model.readUInt32LE(4)).toBe(3);
  expect(model.length).toBeLessThan(700_000);
  expect(digest(tinyModel())).toBe(digest(model));
  expect(digest(tinyModel("anything"))).not.toBe(digest(model));
});
