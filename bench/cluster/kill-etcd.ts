import type { Stored } from "@etcd-operator/kubernetes-client";
import { ETCD_CONTAINER } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { podProcesses } from "@etcd-operator/testing/local/pod-processes.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Contestant, MeasuredCluster, Role } from "./contestant.ts";
import { handOver } from "./hand/roll.ts";
import type { Stage } from "./stage.ts";
import { untilWhole } from "./whole-cluster.ts";

/** Kills the etcd of a member in that role; until the kubelet has started it again and the cluster is whole. */
export async function killEtcd({ cluster }: Contestant, { local, world }: Stage, role: Role): Promise<number> {
  const victim = await (role === "leader" ? freshLeader(cluster) : freshFollower(cluster));
  const [pid] = await podProcesses(local.stateDir, victim.metadata.uid, "/usr/local/bin/etcd");
  if (pid === undefined) throw new Error(`pod ${victim.metadata.name} runs no etcd`);
  return cluster.timed(async () => {
    process.kill(pid, "SIGKILL");
    await untilWhole(world, cluster);
  });
}

async function freshFollower(cluster: MeasuredCluster): Promise<Stored<Pod>> {
  const { followers } = await cluster.roles();
  const fresh = followers.find(isFresh);
  if (!fresh) throw new Error(`every follower of ${cluster.name} has been killed before`);
  return fresh;
}

/** If it is not one that leads, it is one that takes over. */
async function freshLeader(cluster: MeasuredCluster): Promise<Stored<Pod>> {
  const { leader, followers } = await cluster.roles();
  if (isFresh(leader)) return leader;
  const next = followers.find(isFresh);
  if (!next) throw new Error(`every member of ${cluster.name} has been killed before`);
  await handOver(cluster, leader, next);
  return next;
}

/**
 * A container that dies for the second time is started again only after a while, which is the kubelet's and would hide
 * all else.
 */
function isFresh({ status }: Stored<Pod>): boolean {
  return (
    status?.containerStatuses?.some(({ name, restartCount }) => name === ETCD_CONTAINER && restartCount === 0) ?? false
  );
}
