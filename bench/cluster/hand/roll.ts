import type { Stored } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { MeasuredCluster } from "../contestant.ts";
import type { MadeCluster } from "../made-cluster.ts";

interface Roll {
  readonly steps: MadeCluster;
  readonly cluster: MeasuredCluster;
  readonly version: string;
  readonly order: { readonly leader: Stored<Pod>; readonly followers: readonly Stored<Pod>[] };
  /** Resolves when the cluster is whole and so many of its members run the version. */
  readonly whenRunning: (members: number) => Promise<void>;
}

/**
 * Another image for one member after the other, each when the cluster is whole again; who leads hands over first, and
 * is the last.
 */
export async function rollEach({ steps, cluster, version, order, whenRunning }: Roll): Promise<void> {
  const { leader, followers } = order;
  let done = 0;
  for (const pod of followers) {
    await steps.changeImage(pod.metadata.name, version);
    done += 1;
    await whenRunning(done);
  }
  const [next] = followers;
  if (next) await handOver(cluster, leader, next);
  await steps.changeImage(leader.metadata.name, version);
  await whenRunning(done + 1);
}

/** Only who leads can hand over, which need not be who led when it began. */
export async function handOver(cluster: MeasuredCluster, from: Stored<Pod>, to: Stored<Pod>): Promise<void> {
  const { memberId } = await cluster.ask(to, (client) => client.status());
  await cluster.ask(from, async (client) => {
    const status = await client.status();
    if (status.leaderId === status.memberId) await client.moveLeader(memberId);
  });
}
