import { randomBytes } from "node:crypto";
import type { ClusterUnderTest } from "../cluster/cluster-under-test.ts";

const MIB = 2 ** 20;

/** Gives a cluster so much data that a snapshot of it takes a while, and cannot be compressed. */
export async function fill(cluster: ClusterUnderTest, mebibytes: number): Promise<void> {
  const { leader } = await cluster.roles();
  await cluster.ask(leader, async (client) => {
    for (let index = 0; index < mebibytes; index += 1) {
      await client.put({ key: `filling/${index}`, value: randomBytes(MIB) }, { timeoutMs: 10_000 });
    }
  });
}
