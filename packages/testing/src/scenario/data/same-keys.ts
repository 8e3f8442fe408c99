import assert from "node:assert/strict";
import type { ClusterUnderTest } from "../cluster/cluster-under-test.ts";
import { readAll } from "./read-all.ts";

/**
 * How many keys of witnesses a cluster holds; throws unless they are just those that another one held at a revision.
 */
export async function holdsWhatWas(restored: ClusterUnderTest, source: ClusterUnderTest, at: number): Promise<number> {
  const [found, expected] = [await keysOf(restored, 0n), await keysOf(source, BigInt(at))];
  assert.deepEqual(found, expected, `${restored.name} holds what ${source.name} held at revision ${at}`);
  return found.length;
}

async function keysOf(cluster: ClusterUnderTest, at: bigint): Promise<readonly string[]> {
  const { leader } = await cluster.roles();
  const { keyValues } = await cluster.ask(leader, (client) => readAll(client, "witness/", at));
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  return keyValues.map(({ key, value, modRevision }) => `${text(key)}=${text(value)} @${modRevision}`);
}
