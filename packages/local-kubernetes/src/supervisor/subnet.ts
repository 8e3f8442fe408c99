/** The addresses of one local mode: pods in the lower half of a /16, Services in the upper. */
export interface Subnet {
  readonly bridgeIp: string;
  readonly prefixLength: 16;
  readonly podCidr: string;
  readonly serviceCidr: string;
  readonly apiServiceIp: string;
  readonly dnsIp: string;
}

const FIRST = 88;
// Tests of the network use what lies above.
const LAST = 199;

/**
 * A 10.N.0.0/16 that no route of this machine leads into; undefined when all are taken. Every instance begins its
 * search at a place of its own, so that one which is stopped hardly ever finds its addresses taken. An instance that
 * ran before keeps the subnet of its `formerPodCidr`, because its Services have addresses in it, or gets none.
 */
export function freeSubnet(routes: readonly string[], instance: string, formerPodCidr?: string): Subnet | undefined {
  const taken = routes.map(parseCidr).filter((cidr) => cidr !== undefined);
  return candidates(instance, formerPodCidr)
    .filter((second) => !taken.some((other) => overlaps({ address: addressOf(10, second, 0, 0), length: 16 }, other)))
    .map(subnet)[0];
}

function candidates(instance: string, formerPodCidr: string | undefined): readonly number[] {
  if (formerPodCidr !== undefined) return [Number(formerPodCidr.split(".")[1])];
  const count = LAST - FIRST + 1;
  const first = Number.parseInt(instance, 16) % count;
  return Array.from({ length: count }, (_, index) => FIRST + ((first + index) % count));
}

function subnet(second: number): Subnet {
  return {
    bridgeIp: `10.${second}.0.1`,
    prefixLength: 16,
    podCidr: `10.${second}.0.0/17`,
    serviceCidr: `10.${second}.128.0/17`,
    apiServiceIp: `10.${second}.128.1`,
    dnsIp: `10.${second}.128.10`,
  };
}

interface Cidr {
  readonly address: number;
  readonly length: number;
}

function parseCidr(text: string): Cidr | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)(?:\/(\d+))?$/.exec(text);
  if (!match) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = match.slice(1, 5).map(Number);
  return { address: addressOf(a, b, c, d), length: Number(match[5] ?? 32) };
}

function addressOf(a: number, b: number, c: number, d: number): number {
  return a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
}

function overlaps(one: Cidr, other: Cidr): boolean {
  const size = 2 ** (32 - Math.min(one.length, other.length));
  return Math.floor(one.address / size) === Math.floor(other.address / size);
}
