/** Ids as etcdctl prints them, and back. */
export function toHex(id: bigint): string {
  return id.toString(16);
}

export function fromHex(id: string): bigint {
  return BigInt(`0x${id}`);
}
