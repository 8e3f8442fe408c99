import { memberAddresses } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { Action, ActionOutcome, MemberToStart } from "@etcd-operator/operator/cluster/model/action.ts";
import { listedMembers } from "@etcd-operator/operator/cluster/model/members.ts";
import { keepsQuorumWithNewVoter } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { etcdImage } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { wantedMetadata } from "@etcd-operator/operator/cluster/objects/pod/pod-metadata.ts";
import { claimHash, specHash } from "@etcd-operator/operator/cluster/objects/pod/spec-hash.ts";
import type { Start } from "@etcd-operator/operator/cluster/objects/pod/start.ts";
import { isSetAside } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { addMember as addToEtcd } from "./etcd-model.ts";
import { mayRun } from "./observe-world.ts";
import { DONE, PassFailed, postponed, type WorkInWorld } from "./work-in-world.ts";
import {
  type Claim,
  type Etcd,
  emptyDisk,
  type Member,
  NODES,
  nextNumber,
  type Pod,
  recordedEtcd,
  type World,
  zoneOf,
} from "./world.ts";

/** Starts a member after the look that its kind of start asks for. */
export function startMember(work: WorkInWorld, member: MemberToStart): ActionOutcome {
  switch (member.start.kind) {
    case "seed":
    case "restored":
      if (work.seen.cluster.status?.clusterID) return postponed("a cluster is there");
      return formerMayRun(work) ? postponed("a member of before may run") : makeMember(work, member);
    case "joining": {
      const isConfirmed = work.seen.membership.kind === "confirmed";
      const start = joiningStart(work, isConfirmed ? work.members().members : work.newestCopy(), member.name);
      return start ? makeMember(work, { ...member, start }) : postponed("it is not in the list, or has started before");
    }
    case "returning":
      return mayReturn(work, member, member.start) ? makePod(work, member) : postponed("pod or claim have changed");
  }
}

/** Whether one of those that a restore has set aside may run, at a second look. */
export function formerMayRun({ world, isLate }: WorkInWorld): boolean {
  const former = [...world.pods.values()].filter((pod) => isSetAside(pod, world.cluster.status));
  return !isLate && former.some(mayRun);
}

/** Adds a declared member and makes its claim and pod; finds one that an earlier try has added. */
export function addMember(work: WorkInWorld, action: Extract<Action, { kind: "add-member" }>): ActionOutcome {
  const { world, seen } = work;
  const { name, version, asLearner } = action;
  const intent = seen.cluster.status?.memberIntents?.find((each) => each.name === name && each.purpose === "Join");
  if (!intent) return postponed("it is not declared");
  checkPlace(work, name, intent.incarnation);
  const etcd = work.members();
  if (!etcd.members.some(({ host }) => host === name)) {
    const why = work.isLate ? undefined : whyNotAdded(work, etcd, asLearner);
    if (why) return postponed(why);
    const outcome = work.change(() => addToEtcd(world, etcd, name, asLearner));
    if (outcome.kind === "postponed") return outcome;
  }
  const start = joiningStart(work, etcd.members, name);
  if (!start) return postponed("it has started before");
  return makeMember(work, { name, version, incarnation: intent.incarnation, start });
}

function whyNotAdded(work: WorkInWorld, etcd: Etcd, asLearner: boolean): string | undefined {
  if (etcd.members.some(({ name }) => name === "")) return "a member has not started yet";
  const idsOf = (members: readonly Pick<Member, "id" | "isLearner">[]) =>
    members
      .map(({ id, isLearner }) => `${id} ${isLearner}`)
      .sort()
      .join();
  if (idsOf(etcd.members) !== idsOf(listedMembers(work.seen))) return "the members are not those that were seen";
  if (asLearner) return etcd.members.some(({ isLearner }) => isLearner) ? "there is a learner" : undefined;
  const voters = work.voters(etcd);
  return voters.length > 1 && !keepsQuorumWithNewVoter(voters) ? "there might be no majority" : undefined;
}

function joiningStart({ world }: WorkInWorld, members: readonly Member[], name: string): Start | undefined {
  const { clusterID: clusterId } = world.cluster.status ?? {};
  const entry = members.find(({ host }) => host === name);
  if (!entry || !clusterId || entry.name !== "") return undefined;
  const others = members.filter((member) => member !== entry);
  const peers = others.map(({ host }) => ({ name: host, peerUrl: memberAddresses(world.cluster, host).peerUrl }));
  return { kind: "joining", clusterId, peers };
}

function mayReturn(
  { world }: WorkInWorld,
  { name, claim }: MemberToStart,
  start: Extract<Start, { kind: "returning" }>,
): boolean {
  const found = world.claims.get(name);
  const isSame = found !== undefined && found.uid === claim?.uid && !found.isTerminating;
  return isSame && !world.pods.has(name) && found.memberId === start.memberId && found.clusterId === start.clusterId;
}

function checkPlace({ world }: WorkInWorld, name: string, incarnation: number): void {
  const claim = world.claims.get(name);
  const isFit = !claim || (claim.incarnation === incarnation && claim.memberId === undefined && !claim.isTerminating);
  const pod = world.pods.get(name);
  if (!isFit || (pod && (pod.incarnation !== incarnation || pod.isTerminating)))
    throw new PassFailed("the name is taken");
}

function makeMember(work: WorkInWorld, member: MemberToStart): ActionOutcome {
  const { world } = work;
  const { name, incarnation } = member;
  if (usesClaims(world) && !world.claims.has(name)) work.write(() => makeClaim(world, name, incarnation));
  else if (usesClaims(world)) checkPlace(work, name, incarnation);
  return makePod(work, member);
}

export function makeClaim(world: World, name: string, incarnation: number): Claim {
  const ids = { uid: `claim-${nextNumber(world)}`, memberId: undefined, clusterId: undefined };
  const disk = emptyDisk();
  const made = { claimHash: claimHash(world.cluster.spec), returnsWith: undefined, storage: storageOf(world) };
  const claim = { name, version: 1, isTerminating: false, isOwned: false, incarnation, ...ids, ...made, disk };
  world.claims.set(name, claim);
  return claim;
}

function makePod(work: WorkInWorld, member: MemberToStart): ActionOutcome {
  const { world } = work;
  const there = world.pods.get(member.name);
  if (there)
    return there.incarnation === member.incarnation && !there.isTerminating ? DONE : postponed("a pod is there");
  work.write(() => world.pods.set(member.name, { ...podOf(world, member), isMadeLate: work.isLate }));
  return DONE;
}

/** A pod as it is right after it was made. */
export function podOf(world: World, { name, version, incarnation, start }: MemberToStart): Pod {
  const hasClaim = usesClaims(world) || start.kind === "returning";
  return {
    name,
    uid: `pod-${nextNumber(world)}`,
    version: 1,
    createdAtMs: world.nowMs,
    start,
    etcdVersion: version,
    image: etcdImage(world.cluster, version),
    runs: undefined,
    zone: world.cluster.spec.pod?.nodeSelector?.zone,
    place: placeFor(world, start.kind === "joining"),
    madeFor: version,
    incarnation,
    specHash: specHash(world.cluster.spec),
    labels: wantedMetadata(world.cluster.spec).labels,
    memberId: start.kind === "returning" ? start.memberId : undefined,
    clusterId: "clusterId" in start ? start.clusterId : undefined,
    gate: "closed",
    emptyDir: hasClaim ? undefined : emptyDisk(),
    stage: "pending",
    isTerminating: false,
    refusal: undefined,
    isPastGuard: false,
    isUp: false,
    isSaidToRun: false,
    trouble: undefined,
    node: "up",
    isReachable: true,
    side: 0,
    wasReady: false,
    notReadySinceMs: undefined,
  };
}

/** Often beside another, as while nodes are cordoned; one that joins where members share a node or a zone goes to where fewest are. */
function placeFor(world: World, isJoining: boolean): string {
  const hosts = new Set(recordedEtcd(world)?.members.map(({ host }) => host));
  const there = [...world.pods.values()].filter(({ name, isTerminating }) => hosts.has(name) && !isTerminating);
  const on = (node: string) => there.filter(({ place }) => place === node).length;
  const nearby = (node: string) => there.filter(({ place }) => zoneOf(place) === zoneOf(node)).length;
  const isCrowded = NODES.some((node) => nearby(node) > 1);
  if (!isCrowded || !isJoining) return NODES[world.counter % 2] ?? "";
  return [...NODES].sort((a, b) => on(a) - on(b) || nearby(a) - nearby(b))[0] ?? "";
}

export function storageOf({ cluster }: World): string {
  return String(cluster.spec.pod?.persistentVolumeClaimSpec?.resources?.requests?.storage ?? "1Gi");
}

function usesClaims({ cluster }: World): boolean {
  return cluster.spec.pod?.persistentVolumeClaimSpec !== undefined;
}
