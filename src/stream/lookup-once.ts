import { type LookupAddress, lookup as lookupByName } from "node:dns";
import type { LookupFunction } from "node:net";

const LOOPBACK: readonly LookupAddress[] = [
  { address: "127.0.0.1", family: 4 },
  { address: "::1", family: 6 },
];

/**
 * A lookup that asks the system once per name: a later connection does not pay for it again.
 *
 * `localhost` is both loopback addresses, also where the hosts file names one of them only. A
 * failure is not kept.
 */
export function lookupOnce(): LookupFunction {
  const known = new Map<string, readonly LookupAddress[]>();
  return (hostname, options, done) => {
    const tell = (addresses: readonly LookupAddress[]): void => {
      const [first] = addresses;
      if (options.all) done(null, [...addresses]);
      else done(null, first?.address ?? "", first?.family);
    };
    const addresses = known.get(hostname);
    if (addresses !== undefined) {
      tell(addresses);
      return;
    }
    lookupByName(hostname, { all: true }, (error, found) => {
      if (error !== null) {
        done(error, []);
        return;
      }
      const all = withLoopback(hostname, found);
      known.set(hostname, all);
      tell(all);
    });
  };
}

function withLoopback(hostname: string, found: readonly LookupAddress[]): LookupAddress[] {
  if (!/^(?:.+\.)?localhost\.?$/i.test(hostname)) return [...found];
  const missing = LOOPBACK.filter(({ family }) => found.every((each) => each.family !== family));
  return [...found, ...missing];
}
