import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

const UNSPECIFIED = new BlockList();
UNSPECIFIED.addAddress("0.0.0.0", "ipv4");
UNSPECIFIED.addAddress("::", "ipv6");

const MAPPED_IPV4 = new BlockList();
MAPPED_IPV4.addSubnet("::ffff:0:0", 96, "ipv6");

/** Whether an IP address, IPv4-mapped spellings included, never leaves this machine; a name is none. */
export function isLoopbackAddress(address: string): boolean {
  return isListed(LOOPBACK, address);
}

/** Whether this is `0.0.0.0` or `::`, which a client that connects to it reaches as loopback. */
export function isUnspecifiedAddress(address: string): boolean {
  return isListed(UNSPECIFIED, address);
}

/** Whether a connection to this address is made over IPv4: dotted, or mapped into IPv6. */
export function isReachedByIpv4(address: string): boolean {
  return isListed(MAPPED_IPV4, address);
}

/**
 * Whether the address is one of those given, in whatever spelling.
 *
 * @param ownAddresses - IP addresses, link-local ones best with their zone (`fe80::1%eth0`): the
 * same text behind another zone is another machine. A zone that one side lacks is not compared.
 */
export function isOwnAddress(address: string, ownAddresses: readonly string[]): boolean {
  return ownAddresses.some((own) => isSameAddress(address, own));
}

function isSameAddress(a: string, b: string): boolean {
  const [plain, zone] = splitZone(a);
  const [otherPlain, otherZone] = splitZone(b);
  if (zone !== undefined && otherZone !== undefined && zone !== otherZone) return false;
  const family = familyOf(otherPlain);
  if (family === undefined) return false;
  const other = new BlockList();
  other.addAddress(otherPlain, family);
  return isListed(other, plain);
}

function isListed(list: BlockList, address: string): boolean {
  const [plain] = splitZone(address);
  const family = familyOf(plain);
  return family !== undefined && list.check(plain, family);
}

function splitZone(address: string): [plain: string, zone: string | undefined] {
  const at = address.indexOf("%");
  return at === -1 ? [address, undefined] : [address.slice(0, at), address.slice(at + 1)];
}

function familyOf(plainAddress: string): "ipv4" | "ipv6" | undefined {
  const version = isIP(plainAddress);
  if (version === 0) return undefined;
  return version === 4 ? "ipv4" : "ipv6";
}
