import { parseVersion } from "@etcd-operator/etcd-client";
import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import { etcdCommand } from "@etcd-operator/operator/cluster/objects/pod/etcd-command.ts";
import { ETCD_CONTAINER, etcdImage } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import type { PodSpec } from "kubernetes-types/core/v1.d.ts";
import { type Disk, type Ground, type Member, NODES, newWorld, nextNumber, type Pod, type World } from "./world.ts";

/** A cluster that has just been asked for, or one that coreos/etcd-operator left running. */
export function worldOf(ground: Ground): World {
  const world = newWorld(ground);
  if (ground.isOld) leaveRunning(world, ground);
  return world;
}

const CLUSTER_ID = "1d";

function leaveRunning(world: World, { size, hasClaims }: Ground): void {
  const members = Array.from({ length: size }, (): Member => {
    const number = nextNumber(world);
    return { id: number.toString(16), name: `m${number}`, host: `m${number}`, isLearner: false };
  });
  for (const { id, name } of members) {
    const disk = { markedBy: undefined, log: { memberId: id, clusterId: CLUSTER_ID, index: 1, members } };
    world.haveRun.add(id);
    world.haveServed.add(id);
    if (hasClaims) addClaim(world, name, disk);
    world.pods.set(name, oldPod(world, name, hasClaims ? undefined : disk));
  }
  const leaderId = members[0]?.id;
  const etcd = { clusterId: CLUSTER_ID, members, index: 1, acknowledged: 1, leaderId, calmSinceMs: world.nowMs };
  world.etcds.set(CLUSTER_ID, etcd);
  world.hasPeerService = true;
  world.hasClientService = true;
  const { version } = world.cluster.spec;
  world.cluster = { ...world.cluster, status: { phase: "Running", size, currentVersion: version } };
}

function addClaim(world: World, name: string, disk: Disk): void {
  const ids = { uid: `claim-${nextNumber(world)}`, incarnation: undefined, memberId: undefined, clusterId: undefined };
  const made = { claimHash: undefined, returnsWith: undefined, annotations: {}, storage: "1Gi" };
  world.claims.set(name, { name, version: 1, isTerminating: false, isOwned: true, ...ids, ...made, disk });
}

/** No guard, no gate, no annotations that we would know, and it never restarts. */
function oldPod(world: World, name: string, emptyDir: Disk | undefined): Pod {
  const { version } = world.cluster.spec;
  return {
    name,
    uid: `pod-${nextNumber(world)}`,
    version: 1,
    createdAtMs: world.nowMs,
    spec: specOf(world.cluster, name, emptyDir === undefined),
    start: { kind: "seed", token: "", peers: [] },
    etcdVersion: version,
    image: etcdImage(world.cluster, version),
    runs: { image: etcdImage(world.cluster, version), version, id: "old" },
    place: NODES[0] ?? "",
    incarnation: undefined,
    specHash: undefined,
    labels: {},
    annotations: {},
    memberId: undefined,
    clusterId: undefined,
    gate: "absent",
    emptyDir,
    stage: "running",
    isTerminating: false,
    refusal: undefined,
    isPastGuard: true,
    isUp: true,
    isSaidToRun: true,
    trouble: undefined,
    node: "up",
    isReachable: true,
    side: 0,
    wasReady: true,
    notReadySinceMs: undefined,
  };
}

function specOf(cluster: World["cluster"], member: string, hasClaim: boolean): PodSpec {
  const version = parseVersion(cluster.spec.version) ?? { major: 3, minor: 2, patch: 0 };
  const start = { kind: "seed", token: "", peers: [] } as const;
  const command = etcdCommand({
    spec: cluster.spec,
    member,
    version,
    addresses: memberAddresses(cluster, member),
    start,
  });
  const data = hasClaim ? { persistentVolumeClaim: { claimName: member } } : { emptyDir: {} };
  return { containers: [{ name: ETCD_CONTAINER, command }], volumes: [{ name: "etcd-data", ...data }] };
}
