import { sortedJson } from "@etcd-operator/kubernetes-client";

/** 64 bits in hexadecimal that depend on a value but not on the order of its keys (FNV-1a, which needs no library). */
export function fingerprint(value: unknown): string {
  // In halves, for every reconcile computes many of them, and integers of 64 bits are slow.
  let [high, low] = [0xcbf29ce4, 0x84222325];
  for (const byte of Buffer.from(sortedJson(value))) {
    low = (low ^ byte) >>> 0;
    // Times 2^40 + 0x1b3.
    const product = low * 0x1b3;
    high = (high * 0x1b3 + Math.floor(product / 2 ** 32) + low * 2 ** 8) >>> 0;
    low = product >>> 0;
  }
  return `${hex(high)}${hex(low)}`;
}

function hex(half: number): string {
  return half.toString(16).padStart(8, "0");
}
