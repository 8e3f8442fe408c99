import type { EtcdErrorCode } from "@etcd-operator/etcd-client";
import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import {
  diskOf,
  type Etcd,
  hasLearners,
  isStale,
  type Log,
  type Member,
  nextNumber,
  type Pod,
  type World,
} from "./world.ts";

/** A member whose process runs, with the log that it runs on. */
export interface Live {
  readonly pod: Pod;
  readonly log: Log;
  readonly member: Member;
}

/** etcd requires that all members have been connected for this long before it lets a change through. */
const HEALTH_INTERVAL_MS = 5000;

export function votersIn({ members }: Etcd): readonly Member[] {
  return members.filter(({ isLearner }) => !isLearner);
}

/** The log that the process of a pod runs on; undefined when there is no such process. */
export function runningLog(world: World, pod: Pod): Log | undefined {
  return pod.isUp && pod.node !== "dead" ? diskOf(world, pod)?.log : undefined;
}

export function liveMembers(world: World, etcd: Etcd): Live[] {
  const live: Live[] = [];
  for (const pod of world.pods.values()) {
    const log = runningLog(world, pod);
    if (log?.clusterId !== etcd.clusterId) continue;
    const member = etcd.members.find(({ id }) => id === log.memberId);
    if (member) live.push({ pod, log, member });
  }
  return live;
}

/**
 * The members that can agree on something together: those on the side that has a majority of the voters; none without
 * one.
 */
export function majoritySide(world: World, etcd: Etcd, live = liveMembers(world, etcd)): Live[] {
  const needed = majorityOf(votersIn(etcd).length);
  for (const side of [0, 1]) {
    const there = live.filter(({ pod }) => pod.side === side);
    if (new Set(there.flatMap(({ member }) => (member.isLearner ? [] : [member.id]))).size >= needed) return there;
  }
  return [];
}

/** The pods of members that read through a majority, and of learners that know a leader. */
export function healthyPods(world: World): ReadonlySet<Pod> {
  const pods = [...world.etcds.values()].flatMap((etcd) => {
    const there = majoritySide(world, etcd);
    const hasLeader = there.some(({ member }) => member.id === etcd.leaderId && !member.isLearner);
    return hasLeader ? there.map(({ pod }) => pod) : [];
  });
  return new Set(pods);
}

/**
 * Whether a majority would be left if every pod that is being deleted were gone, and every process that has to end were
 * ended.
 */
export function hasLastingMajority(world: World, etcd: Etcd): boolean {
  const lasting = liveMembers(world, etcd).filter(({ pod }) => !pod.isTerminating && !isStale(pod));
  return majoritySide(world, etcd, lasting).length > 0;
}

/** The members that may become leader: a majority has nothing that they lack. */
export function electable(world: World, etcd: Etcd): Live[] {
  const voters = majoritySide(world, etcd).filter(({ member }) => !member.isLearner);
  const needed = majorityOf(votersIn(etcd).length);
  return voters.filter(({ log }) => voters.filter((other) => other.log.index <= log.index).length >= needed);
}

/** The leader, as long as it has its majority. */
export function leaderOf(world: World, etcd: Etcd): Live | undefined {
  return majoritySide(world, etcd).find(({ member }) => member.id === etcd.leaderId && !member.isLearner);
}

export function elect(world: World, etcd: Etcd, { log, member }: Live): void {
  etcd.leaderId = member.id;
  etcd.calmSinceMs = world.nowMs;
  if (log.index < etcd.acknowledged) {
    world.broken.push(
      `I3: ${member.name} leads with entries up to ${log.index}, but a client was told that ${etcd.acknowledged} is safe`,
    );
  }
}

/** Entries go to the leader and to those named; they are acknowledged when they are a majority of the voters. */
export function append(etcd: Etcd, receivers: readonly Live[], isFromClient: boolean): void {
  etcd.index += 1;
  if (isFromClient) etcd.acknowledged = etcd.index;
  for (const { log } of receivers) catchUp(etcd, log);
}

export function catchUp(etcd: Etcd, log: Log): void {
  log.index = etcd.index;
  log.members = etcd.members;
}

/** With what etcd refuses what it does not do. */
export type Answer = "done" | EtcdErrorCode;

/** What MemberAdd does with --strict-reconfig-check, which is on by default. */
export function addMember(world: World, etcd: Etcd, host: string, asLearner: boolean, via?: Pod): Answer {
  const isLearner = asLearner && hasLearners(world);
  const voters = votersIn(etcd);
  const started = voters.filter(({ name }) => name !== "").length;
  const isFirstJoin = started === 1 && voters.length === 1;
  if (!isLearner && !isFirstJoin && started < majorityOf(voters.length + 1)) return "unhealthy-cluster";
  if (etcd.downgradeTarget !== undefined) return "unhealthy-cluster";
  if (isLearner && etcd.members.some((member) => member.isLearner)) return "too-many-learners";
  if (etcd.members.some((member) => member.host === host)) return "already-exists";
  if (!isCalm(world, etcd)) return "unhealthy-cluster";
  return change(world, etcd, [...etcd.members, { id: nextNumber(world).toString(16), name: "", host, isLearner }], via);
}

/** What MemberRemove does with the same check. */
export function removeMember(world: World, etcd: Etcd, id: string, via?: Pod): Answer {
  const gone = etcd.members.find((member) => member.id === id);
  if (!gone) return "not-found";
  const rest = etcd.members.filter((member) => member.id !== id);
  if (gone.isLearner) return change(world, etcd, rest, via);
  const voters = rest.filter(({ isLearner }) => !isLearner);
  if (voters.length === 0) return "unhealthy-cluster";
  if (voters.filter(({ name }) => name !== "").length < majorityOf(voters.length)) return "unhealthy-cluster";
  const active = majoritySide(world, etcd).filter(({ member }) => !member.isLearner);
  const isActive = active.some(({ member }) => member.id === id);
  if (isActive && active.length - 1 < 1 + Math.floor(voters.length / 2)) return "unhealthy-cluster";
  return change(world, etcd, rest, via);
}

/** A learner that has not caught up is refused. */
export function promoteMember(world: World, etcd: Etcd, id: string, via?: Pod): Answer {
  const entry = etcd.members.find((member) => member.id === id);
  if (!entry) return "not-found";
  if (!entry.isLearner) return "member-not-learner";
  const learner = majoritySide(world, etcd).find(({ member }) => member.id === id);
  const voters = votersIn(etcd);
  if (!learner || learner.log.index < etcd.index) return "learner-not-ready";
  if (voters.filter(({ name }) => name !== "").length + 1 < majorityOf(voters.length + 1)) return "unhealthy-cluster";
  const members = etcd.members.map((member) => (member.id === id ? { ...member, isLearner: false } : member));
  return change(world, etcd, members, via);
}

/** A member that has started reports its name to the others. */
export function publishName(world: World, etcd: Etcd, id: string): void {
  const members = etcd.members.map((member) => (member.id === id ? { ...member, name: member.host } : member));
  const calmSinceMs = etcd.calmSinceMs;
  change(world, etcd, members);
  etcd.calmSinceMs = calmSinceMs;
}

/**
 * A change is an entry like any other. The members that need not have it for a majority get it later; the one that was
 * asked has it.
 */
function change(world: World, etcd: Etcd, members: readonly Member[], via?: Pod): Answer {
  const leader = leaderOf(world, etcd);
  if (!leader) return "no-leader";
  const others = majoritySide(world, etcd).filter(({ pod, member }) => pod !== leader.pod && !member.isLearner);
  others.sort((a, b) => Number(b.pod === via) - Number(a.pod === via));
  const receivers = [leader, ...others.slice(0, majorityOf(votersIn(etcd).length) - 1)];
  etcd.members = members;
  append(etcd, receivers, false);
  etcd.calmSinceMs = world.nowMs;
  return "done";
}

/** All voters have been connected for a while. That etcd overlooks those that never started was measured. */
function isCalm(world: World, etcd: Etcd): boolean {
  const connected = new Set(majoritySide(world, etcd).map(({ member }) => member.id));
  if (votersIn(etcd).some(({ id, name }) => name !== "" && !connected.has(id))) return false;
  return world.nowMs - etcd.calmSinceMs >= HEALTH_INTERVAL_MS;
}
