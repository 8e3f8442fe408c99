import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { ANNOTATIONS } from "@etcd-operator/operator/cluster/objects/annotations.ts";
import { etcdImage } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { addClaim, addPod } from "./made-in-world.ts";
import { refreshReadiness } from "./steps.ts";
import { type Disk, emptyDisk, type Ground, type Member, newWorld, nextNumber, type Pod, type World } from "./world.ts";

/** What a voter can have come to. */
export const VOTERS = [
  "healthy",
  /** The operator does not get through to it; since just now, or for long. */
  "hidden",
  "hidden-for-long",
  /** Its node is dead for long, and its pod stays. */
  "on-a-dead-node",
  /** Its pod was deleted; its data is on its claim, if it has one. */
  "gone",
  /** Its data is gone, and the guard refuses. */
  "refused",
  "ended",
  /** Its pod is being deleted, and runs still. */
  "terminating",
] as const;

/** Voters that are not what the spec asks for. */
export const OUTDATED = [
  /** Its pod was made from another spec. */
  "of-another-spec",
  /** It runs another patch; or was to, and does not come up. */
  "of-another-version",
  "stuck-with-another-version",
] as const;

/** A member on its way, of which there is one at most. */
export const JOINERS = [
  "declared",
  /** Declared, and its claim or pod were made before the operator died; but it was never added. */
  "made-too-early",
  "added",
  "added-with-pod",
  /** It has started, and is not identified yet. */
  "started",
  "identified",
  /** Added, and not intended. */
  "ghost",
] as const;

export type VoterSituation = (typeof VOTERS | typeof OUTDATED)[number];
export type JoinerSituation = (typeof JOINERS)[number];

export interface Start {
  readonly ground: Ground;
  readonly voters: readonly VoterSituation[];
  /** Which of the voters leads; undefined when none can. */
  readonly leader: number | undefined;
  readonly joiner: JoinerSituation | undefined;
  /** A pod and a claim of a member that was removed. */
  readonly hasStrays: boolean;
}

const HEALTHY: readonly VoterSituation[] = ["healthy", "terminating", "of-another-spec", "of-another-version"];

/** Those that answer, or would if the operator got through to them. */
export const RUNNING: readonly VoterSituation[] = [...HEALTHY, "hidden", "hidden-for-long"];

const CLUSTER_ID = "c1";
const LONG_AGO_MS = 3_600_000;
const ENTRIES = 10;

/** A cluster in the middle of its life. */
export function worldAt(start: Start): World {
  const world = newWorld(start.ground);
  const voters = start.voters.map((): Member => member(world, false));
  const joiner = start.joiner && { ...member(world, start.ground.hasLearners), name: "" };
  const isAdded = joiner && start.joiner !== "declared" && start.joiner !== "made-too-early";
  const isStarted = start.joiner === "started" || start.joiner === "identified";
  const members = [...voters, ...(isAdded ? [isStarted ? { ...joiner, name: joiner.host } : joiner] : [])];
  const leaderId = start.leader === undefined ? undefined : voters[start.leader]?.id;
  const common = { index: ENTRIES, acknowledged: ENTRIES, leaderId, calmSinceMs: world.nowMs - LONG_AGO_MS };
  world.etcds.set(CLUSTER_ID, { clusterId: CLUSTER_ID, members, ...common });
  world.cluster = { ...world.cluster, status: statusOf(world, start, voters, joiner) };
  world.hasPeerService = true;
  world.hasClientService = true;
  placeVoters(world, start, voters, members);
  if (joiner && start.joiner) placeJoiner(world, joiner, start.joiner, members);
  if (start.hasStrays) placeStrays(world, members);
  refreshReadiness(world);
  return world;
}

function member(world: World, isLearner: boolean): Member {
  const number = nextNumber(world);
  return { id: number.toString(16), name: `m${number}`, host: `m${number}`, isLearner };
}

/** The newest entry is with the leader and with as few others as make a majority: the others are behind. */
function placeVoters(world: World, start: Start, voters: readonly Member[], members: readonly Member[]): void {
  const first = start.leader ?? 0;
  for (const [index, voter] of voters.entries()) {
    const isBehind = (index - first + voters.length) % voters.length >= majorityOf(voters.length);
    const disk = logOf(voter, members, isBehind ? ENTRIES - 1 : ENTRIES);
    placeVoter(world, voter, start.voters[index] ?? "healthy", disk);
  }
}

function placeVoter(world: World, voter: Member, situation: VoterSituation, disk: Disk): void {
  world.haveRun.add(voter.id);
  world.haveServed.add(voter.id);
  const pod = place(world, voter, situation === "refused" ? emptyDisk() : disk, []);
  identify(world, pod, voter);
  pod.gate = "open";
  switch (situation) {
    case "healthy":
      return;
    case "hidden":
    case "hidden-for-long":
      pod.isReachable = false;
      return;
    case "on-a-dead-node":
      Object.assign(pod, { node: "dead", isUp: false, isPastGuard: false, notReadySinceMs: world.nowMs - LONG_AGO_MS });
      return;
    case "gone":
      world.pods.delete(pod.name);
      return;
    case "refused":
      Object.assign(pod, { stage: "pending", isUp: false, isPastGuard: false, refusal: "data-gone" });
      return;
    case "ended":
      Object.assign(pod, { stage: "ended", isUp: false });
      return;
    case "terminating":
      pod.isTerminating = true;
      return;
    case "of-another-spec":
      pod.specHash = "v1:other";
      return;
    case "of-another-version":
      giveOther(world, pod, "16");
      pod.runs = { image: pod.image, version: pod.etcdVersion, id: pod.uid };
      return;
    case "stuck-with-another-version":
      giveOther(world, pod, "99");
      Object.assign(pod, { isUp: false, isSaidToRun: false, trouble: "ImagePullBackOff" });
      return;
  }
}

function otherPatch({ spec }: World["cluster"], patch: string): string {
  return spec.version.replace(/\d+$/, patch);
}

function giveOther({ cluster }: World, pod: Pod, patch: string): void {
  const version = otherPatch(cluster, patch);
  const image = etcdImage(cluster, version);
  const annotations = { ...pod.annotations, [ANNOTATIONS.askedImage]: image };
  Object.assign(pod, { etcdVersion: version, image, annotations });
}

function placeJoiner(world: World, joiner: Member, situation: JoinerSituation, members: readonly Member[]): void {
  const empty = emptyDisk();
  if (situation === "declared" || situation === "added" || situation === "ghost") return;
  const isStarted = situation === "started" || situation === "identified";
  const pod = place(world, joiner, isStarted ? logOf(joiner, members, ENTRIES) : empty, members);
  if (!isStarted) Object.assign(pod, { stage: "pending", isUp: false, isPastGuard: false });
  else world.haveRun.add(joiner.id);
  pod.clusterId = CLUSTER_ID;
  if (situation === "identified") identify(world, pod, joiner);
}

/** Their member was removed a moment ago, and they do not know it yet. */
function placeStrays(world: World, members: readonly Member[]): void {
  const [first, second] = [member(world, false), member(world, false)];
  const pod = place(world, first, logOf(first, [...members, first], ENTRIES), members);
  identify(world, pod, first);
  const other = place(world, second, logOf(second, [...members, second], ENTRIES), members);
  identify(world, other, second);
  world.pods.delete(second.host);
}

function logOf({ id }: Member, members: readonly Member[], index: number): Disk {
  return { markedBy: undefined, log: { memberId: id, clusterId: CLUSTER_ID, index, members } };
}

/** A pod that runs on its data, on a claim or in itself as the spec says. */
function place(world: World, { host }: Member, disk: Disk, members: readonly Member[]): Pod {
  const others = members.filter((other) => other.host !== host);
  const peers = others.map((other) => ({
    name: other.host,
    peerUrl: memberAddresses(world.cluster, other.host).peerUrl,
  }));
  const { version } = world.cluster.spec;
  const start = { kind: "joining" as const, clusterId: CLUSTER_ID, peers };
  const made = addPod(world, { name: host, version, incarnation: 1, start });
  const running = {
    stage: "running",
    isUp: true,
    isPastGuard: true,
    runs: { image: made.image, version, id: made.uid },
  } as const;
  const pod: Pod = { ...made, ...running, isSaidToRun: true, emptyDir: made.emptyDir && disk };
  if (!pod.emptyDir) addClaim(world, host, 1).disk = disk;
  world.pods.set(host, pod);
  return pod;
}

function identify(world: World, pod: Pod, { id: memberId }: Member): void {
  Object.assign(pod, { memberId, clusterId: CLUSTER_ID });
  Object.assign(world.claims.get(pod.name) ?? {}, { memberId, clusterId: CLUSTER_ID });
}

function statusOf(
  { nowMs, cluster }: World,
  start: Start,
  voters: readonly Member[],
  joiner: Member | undefined,
): EtcdClusterStatus {
  const since = (situation: VoterSituation | undefined) => {
    if (situation === undefined || HEALTHY.includes(situation)) return {};
    const isFresh = situation === "hidden";
    return { notHealthySince: new Date(nowMs - (isFresh ? 0 : LONG_AGO_MS)).toISOString() };
  };
  const isIntended = joiner && start.joiner !== "ghost";
  return {
    clusterID: CLUSTER_ID,
    incarnation: 1,
    phase: "Running",
    currentVersion: cluster.spec.version,
    memberStatus: voters.map(({ id, name }, index) => ({
      name,
      id,
      role: "Follower",
      health: "Unknown",
      version: start.voters[index] === "of-another-version" ? otherPatch(cluster, "16") : cluster.spec.version,
      ...since(start.voters[index]),
    })),
    ...(isIntended && { memberIntents: [{ name: joiner.host, incarnation: 1, purpose: "Join" }] }),
  };
}
