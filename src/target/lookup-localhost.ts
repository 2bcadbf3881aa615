import { type LookupAddress, lookup } from "node:dns";
import type { LookupFunction } from "node:net";

const LOOPBACKS: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * Resolves `localhost` to both loopback addresses, the system's first: many a hosts file lists one
 * of them, and the server listens on the other.
 */
export const lookupLocalhost: LookupFunction = (hostname, options, done) => {
  lookup(hostname, { all: true }, (_error, found) => {
    const known: readonly LookupAddress[] = found ?? [];
    const isNew = ({ address }: LookupAddress) => known.every((one) => one.address !== address);
    const all = [...known, ...LOOPBACKS.filter(isNew)];
    if (options.all === true) done(null, all);
    else done(null, all[0]!.address, all[0]!.family);
  });
};
