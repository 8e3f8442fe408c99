import { isIP } from "node:net";

/** What kind of place an address is that no object may lead the operator to. */
export type AddressClass = "loopback" | "link-local" | "metadata" | "multicast" | "unspecified" | "reserved";

type Network = readonly [class_: AddressClass, network: string, bits: number];

/**
 * Addresses of clouds' metadata services, which give the machine's own credentials to those that ask, and lie outside
 * link-local networks.
 */
const NETWORKS: readonly Network[] = [
  ["metadata", "169.254.169.254", 32],
  ["metadata", "169.254.170.2", 32],
  ["metadata", "169.254.170.23", 32],
  ["metadata", "100.100.100.200", 32],
  ["metadata", "168.63.129.16", 32],
  ["metadata", "192.0.0.192", 32],
  ["metadata", "fd00:ec2::254", 128],
  ["metadata", "fd00:ec2::23", 128],
  ["metadata", "fd20:ce::254", 128],
  ["unspecified", "0.0.0.0", 8],
  ["loopback", "127.0.0.0", 8],
  ["link-local", "169.254.0.0", 16],
  ["multicast", "224.0.0.0", 4],
  ["reserved", "240.0.0.0", 4],
  ["unspecified", "::", 128],
  ["loopback", "::1", 128],
  ["link-local", "fe80::", 10],
  ["multicast", "ff00::", 8],
];

/** Networks of IPv6 whose addresses embed one of IPv4, and the byte where that begins. */
const CARRIERS: readonly (readonly [network: string, bits: number, at: number])[] = [
  ["::ffff:0:0", 96, 12],
  ["::ffff:0:0:0", 96, 12],
  ["64:ff9b::", 96, 12],
  ["64:ff9b:1::", 48, 12],
  ["2002::", 16, 2],
  ["::", 96, 12],
];

/**
 * Which of these an address is, in whichever form it is written; undefined for one that may be dialled, and "reserved"
 * for what is none.
 */
export function addressClass(address: string): AddressClass | undefined {
  const bytes = bytesOf(address);
  return bytes ? classOf(bytes) : "reserved";
}

/** The same for each way to write an address; a name is its own. */
export function addressKey(address: string): string {
  return bytesOf(address)?.join(".") ?? address;
}

function classOf(bytes: Uint8Array): AddressClass | undefined {
  const [found] = NETWORKS.find(([, network, bits]) => isWithin(bytes, network, bits)) ?? [];
  if (found) return found;
  const carried = CARRIERS.filter(([network, bits]) => isWithin(bytes, network, bits));
  for (const [, , at] of carried) {
    const inner = classOf(bytes.subarray(at, at + 4));
    if (inner) return inner;
  }
  return undefined;
}

function isWithin(bytes: Uint8Array, network: string, bits: number): boolean {
  const base = bytesOf(network);
  if (base?.length !== bytes.length) return false;
  return base.every((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    const mask = (0xff00 >> kept) & 0xff;
    return (byte & mask) === ((bytes[index] ?? 0) & mask);
  });
}

/** 4 or 16 of them. */
function bytesOf(address: string): Uint8Array | undefined {
  const plain = address.replace(/%.*$/, "");
  switch (isIP(plain)) {
    case 4:
      return Uint8Array.from(plain.split(".").map(Number));
    case 6:
      return bytesOfSix(plain);
    default:
      return undefined;
  }
}

function bytesOfSix(address: string): Uint8Array {
  const groupsIn = (text: string) =>
    text.split(":").flatMap((group) => {
      if (group === "") return [];
      if (!group.includes(".")) return [Number.parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
      return [a * 256 + b, c * 256 + d];
    });
  const [head = "", tail] = address.split("::");
  const [before, after] = [groupsIn(head), groupsIn(tail ?? "")];
  const gap = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Uint8Array.from([...before, ...gap, ...after].flatMap((group) => [group >> 8, group & 0xff]));
}
