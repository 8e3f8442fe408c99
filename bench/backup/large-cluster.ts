import { randomBytes } from "node:crypto";
import { connectEtcd } from "@etcd-operator/etcd-client";
import { CLIENT_PORT } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import { aManifest } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { OPERATED } from "../cluster/by-operator.ts";
import { MeasuredCluster, VERSION } from "../cluster/contestant.ts";
import type { WatchedWorld } from "../cluster/watched-world.ts";

const VALUE_BYTES = 1_000_000;
const AT_A_TIME = 8;
const QUOTA_BYTES = 8 * 2 ** 30;

export interface LargeCluster {
  readonly cluster: MeasuredCluster;
  /** host:port of its only member. */
  readonly address: string;
  readonly sizeBytes: number;
}

/**
 * A cluster of one member whose database is at least so large. The values are random: nothing on the way can make them
 * smaller.
 */
export async function largeCluster(world: WatchedWorld, name: string, sizeBytes: number): Promise<LargeCluster> {
  const manifest = aManifest(name, { namespace: OPERATED, size: 1, version: VERSION });
  const spec = { ...manifest.spec, etcd: { quotaBackendBytes: QUOTA_BYTES } };
  await world.client.create(ownResources.etcdClusters, { ...manifest, spec } as unknown as EtcdCluster);
  const cluster = new MeasuredCluster(world, OPERATED, name);
  await cluster.settled(1);
  const [pod] = await cluster.pods();
  const address = `${pod?.status?.podIP}:${CLIENT_PORT}`;
  await fill(address, sizeBytes);
  return { cluster, address, sizeBytes };
}

async function fill(address: string, sizeBytes: number): Promise<void> {
  const client = connectEtcd({ address }, { timeoutMs: 60_000 });
  let left = Math.ceil(sizeBytes / VALUE_BYTES);
  const write = async () => {
    while (left > 0) {
      left -= 1;
      await client.put({ key: `large/${left}`, value: randomBytes(VALUE_BYTES) });
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, write));
  } finally {
    client.close();
  }
}
