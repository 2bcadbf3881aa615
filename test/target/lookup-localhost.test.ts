import type { LookupOptions } from "node:dns";
import { expect, test } from "vitest";
import { lookupLocalhost } from "../../src/target/lookup-localhost.ts";

function lookedUp(options: LookupOptions): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookupLocalhost("localhost", options, (error, address, family) => {
      if (error) reject(error);
      else resolve(family === undefined ? address : { address, family });
    });
  });
}

test("localhost has both addresses, each once, whatever the hosts file says", async () => {
  const all = (await lookedUp({ all: true })) as { address: string }[];
  const addresses = all.map(({ address }) => address);
  expect(addresses).toEqual(expect.arrayContaining(["127.0.0.1", "::1"]));
  expect(new Set(addresses).size).toBe(addresses.length);
});

test("who asks for one gets one", async () => {
  expect(await lookedUp({})).toEqual({
    address: expect.stringMatching(/^(?:127\.0\.0\.1|::1)$/),
    family: expect.any(Number),
  });
});
