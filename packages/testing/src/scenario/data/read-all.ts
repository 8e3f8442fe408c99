import type { EtcdClient } from "@etcd-operator/etcd-client";
import { type KeyValue, prefixEnd } from "@etcd-operator/etcd-client";

const PAGE = 2_000;

/**
 * All keys that begin with a prefix, as of one revision, the newest by default, each page read through the
 * majority.
 */
export async function readAll(
  client: Pick<EtcdClient, "range">,
  prefix: string,
  at = 0n,
): Promise<{ revision: bigint; keyValues: readonly KeyValue[] }> {
  const rangeEnd = prefixEnd(prefix);
  const first = await client.range({ key: prefix, rangeEnd, limit: PAGE, revision: at });
  const revision = at || first.revision;
  const keyValues = [...first.keyValues];
  for (let page = first; page.hasMore; ) {
    const next = Buffer.concat([keyValues.at(-1)?.key ?? new Uint8Array(), Buffer.of(0)]);
    page = await client.range({ key: next, rangeEnd, limit: PAGE, revision });
    keyValues.push(...page.keyValues);
  }
  return { revision, keyValues };
}
