import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

const made: string[] = [];

/** A folder of its own, which goes when the tests of the file are over. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "joulemark-records-"));
  made.push(folder);
  return folder;
}

// Lines that a test did not wait for may still be on their way, hence the second tries.
afterAll(() => {
  for (const folder of made.splice(0)) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
});
