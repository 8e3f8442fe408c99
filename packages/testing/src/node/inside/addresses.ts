/** The addresses inside; nothing outside sees them, so each real node may have the same. */
export const POD_CIDR = "10.244.0.0/16";
export const SERVICE_CIDR = "10.96.0.0/16";
/** Of the Service "kubernetes". */
export const API_SERVICE_IP = "10.96.0.1";
export const DNS_IP = "10.96.0.10";
/** Of the link that the nodes are on. */
export const NODES_LINK = "nodes";
export const NODES_CIDR = "10.200.0.0/24";

export interface NodeAddress {
  readonly name: string;
  readonly ip: string;
  readonly podCidr: string;
}

/** node1 to node<count>, each with room for 250 pods. */
export function nodeAddresses(count: number): readonly [NodeAddress, ...NodeAddress[]] {
  const [first = nodeAddress(1), ...others] = Array.from({ length: count }, (_, index) => nodeAddress(index + 1));
  return [first, ...others];
}

function nodeAddress(number: number): NodeAddress {
  return { name: `node${number}`, ip: `10.200.0.${number}`, podCidr: `10.244.${number}.0/24` };
}
