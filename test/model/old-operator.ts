import { etcdImage } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { type Disk, type Ground, type Member, NODES, newWorld, nextNumber, type Pod, type World } from "./world.ts";

/** A cluster that has just been asked for, or one that the old operator left running. */
export function worldOf(ground: Ground): World {
  const world = newWorld(ground);
  if (ground.isOld) leaveRunning(world, ground);
  return world;
}

const CLUSTER_ID = "01d";

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
  const made = { claimHash: undefined, returnsWith: undefined, storage: "1Gi" };
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
    start: { kind: "seed", token: "", peers: [] },
    etcdVersion: version,
    image: etcdImage(world.cluster, version),
    runs: { image: etcdImage(world.cluster, version), version },
    place: NODES[0] ?? "",
    madeFor: version,
    incarnation: undefined,
    specHash: undefined,
    labels: {},
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
