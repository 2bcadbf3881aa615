import { isOwnAddress, isReachedByIpv4, isUnspecifiedAddress } from "../target/local-address.ts";

/** A TCP socket that listens; `inode` names the socket in `/proc/<pid>/fd`. */
export interface TcpListener {
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/** A unix socket that listens, with the path as its server gave it to `bind`. */
export interface UnixListener {
  readonly path: string;
  readonly inode: string;
}

const TCP_LISTEN = "0A";
const SO_ACCEPTCON = "00010000";

/**
 * The listening rows of `/proc/net/tcp` or `/proc/net/tcp6`.
 *
 * @param byteOrder - that of the machine that wrote the table: the kernel prints the addresses as
 * 32-bit words in its own order, but the ports in the usual one.
 * @see https://docs.kernel.org/networking/proc_net_tcp.html
 */
export function parseTcpListeners(table: string, byteOrder: "LE" | "BE"): TcpListener[] {
  return table.split("\n").flatMap((line) => {
    const [, local = "", , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    const [, addressHex, portHex] = /^([\dA-F]{8}|[\dA-F]{32}):([\dA-F]{4})$/i.exec(local) ?? [];
    if (state !== TCP_LISTEN || addressHex === undefined || portHex === undefined) return [];
    const address = addressOfHex(addressHex, byteOrder);
    return [{ address, port: Number.parseInt(portHex, 16), inode }];
  });
}

/** The listening rows of `/proc/net/unix`; connections of a server have its path too, and are none. */
export function parseUnixListeners(table: string): UnixListener[] {
  return table.split("\n").flatMap((line) => {
    // Num: RefCount Protocol Flags Type St Inode Path, and the path may hold spaces.
    const row = /^[\da-f]+: \S+ \S+ (\S+) \S+ \S+ +(\d+) (.+)$/i.exec(line);
    const [, flags, inode, path] = row ?? [];
    return flags === SO_ACCEPTCON && inode !== undefined && path !== undefined
      ? [{ path, inode }]
      : [];
  });
}

/**
 * The listeners that get a connection to `address`: those bound to it, else those bound to all.
 *
 * The kernel's own order of choice; `[::]` takes IPv4 connections where nothing listens on 0.0.0.0.
 *
 * @param listeners - all of one port.
 */
export function listenersReachedAt(
  address: string,
  listeners: readonly TcpListener[],
): TcpListener[] {
  const exact = listeners.filter((listener) => isOwnAddress(listener.address, [address]));
  if (exact.length > 0) return exact;
  const onAll = listeners.filter((listener) => isUnspecifiedAddress(listener.address));
  const onAllIpv4 = onAll.filter((listener) => isReachedByIpv4(listener.address));
  const onAllIpv6 = onAll.filter((listener) => !isReachedByIpv4(listener.address));
  return isReachedByIpv4(address) && onAllIpv4.length > 0 ? onAllIpv4 : onAllIpv6;
}

function addressOfHex(hex: string, byteOrder: "LE" | "BE"): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) => {
    const inPrintedOrder = word.match(/../g) ?? [];
    return byteOrder === "LE" ? inPrintedOrder.toReversed() : inPrintedOrder;
  });
  if (bytes.length === 4) return bytes.map((byte) => Number.parseInt(byte, 16)).join(".");
  return bytes.join("").match(/.{4}/g)!.join(":");
}
