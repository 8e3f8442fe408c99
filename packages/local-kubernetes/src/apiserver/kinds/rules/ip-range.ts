/** Addresses of an IPv4 network such as "10.88.128.0/17". */
export interface IpRange {
  readonly first: number;
  readonly size: number;
}

export function parseRange(cidr: string): IpRange {
  const [address = "", bits = "32"] = cidr.split("/");
  const size = 2 ** (32 - Number(bits));
  const number = ipToNumber(address);
  return { first: number - (number % size), size };
}

export function ipToNumber(ip: string): number {
  return ip.split(".").reduce((number, part) => number * 256 + Number(part), 0);
}

export function numberToIp(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
}

export function contains({ first, size }: IpRange, ip: string): boolean {
  const number = ipToNumber(ip);
  // The first and the last address mean the network and everybody in it.
  return number > first && number < first + size - 1;
}

// The lowest ones are for those who choose theirs: the API server, DNS.
const RESERVED = 256;

/** Any address that is unlikely to be chosen by hand. */
export function randomIp({ first, size }: IpRange, random: () => number): string {
  const from = Math.min(RESERVED, Math.floor(size / 2));
  return numberToIp(first + from + Math.floor(random() * (size - from - 1)));
}
