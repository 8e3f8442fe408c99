import type { Action } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { activeRestore, isSetAside } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { hasLastingMajority, majoritySide, runningLog, votersIn } from "./etcd-model.ts";
import {
  type Claim,
  diskOf,
  type Etcd,
  hasLearners,
  type Log,
  type Member,
  type Pod,
  recordedEtcd,
  type World,
} from "./world.ts";

/** What of the world before an action is needed to judge it. */
export interface Before {
  readonly hadMajority: boolean;
  /** Without the pods that are being deleted. */
  readonly hadLastingMajority: boolean;
  readonly voters: number;
  readonly takenDown: number;
  readonly joining: number;
  readonly dear: ReadonlySet<string>;
  /** What was set aside for a restore, and whether the restored cluster has all its members. */
  readonly setAside: ReadonlySet<string>;
  readonly isWhole: boolean;
  /** What is in no store. */
  readonly unsaved: ReadonlySet<string>;
  readonly fingerprint: string;
}

export function before(world: World): Before {
  const etcd = recordedEtcd(world);
  return {
    hadMajority: etcd !== undefined && majoritySide(world, etcd).length > 0,
    hadLastingMajority: etcd !== undefined && hasLastingMajority(world, etcd),
    voters: etcd ? votersIn(etcd).length : 0,
    takenDown: etcd ? takenDownIn(world, etcd) : 0,
    joining: etcd ? joiningIn(etcd) : 0,
    dear: dearIn(world),
    setAside: setAsideIn(world),
    isWhole: etcd !== undefined && isWhole(world, etcd),
    unsaved: unsavedIn(world),
    fingerprint: fingerprintOf(world),
  };
}

/** Which promises an action of ours has broken. */
export function brokenByAction(world: World, was: Before, action: Action, seen: Observation, isLate = false): string[] {
  const etcd = recordedEtcd(world);
  const broken: string[] = [];
  if (etcd && tookMajority(world, etcd, was, action, isLate)) broken.push(`I1: ${action.kind} took the majority away`);
  // etcd accepts no second learner, but a second voter also from an operator that slept after its second check.
  if (etcd && (!isLate || hasLearners(world)) && joiningIn(etcd) > Math.max(1, was.joining)) {
    broken.push(`I2: ${action.kind} began a second change of membership`);
  }
  if (etcd && !isLate && was.takenDown > 0 && takenDownIn(world, etcd) > was.takenDown) {
    broken.push(`I8: ${action.kind} took down a second voter`);
  }
  if (etcd && seen.membership.kind !== "confirmed") {
    const left = dearIn(world);
    const lost = [...was.dear].filter((thing) => !left.has(thing));
    if (lost.length > 0)
      broken.push(`I6: ${action.kind} took ${lost.join(", ")} without a majority that vouches for the list`);
  }
  broken.push(...brokenByRestore(world, was, action, isLate));
  if (action.kind === "create-restore" && etcd) broken.push(...unheard(world, etcd, seen));
  const { spec, metadata } = seen.cluster;
  const isHandsOff = spec.paused === true || metadata.deletionTimestamp !== undefined;
  if (isHandsOff && fingerprintOf(world) !== was.fingerprint)
    broken.push(`I7: ${action.kind} while hands should be off`);
  return broken;
}

function brokenByRestore(world: World, was: Before, action: Action, isLate: boolean): string[] {
  const left = setAsideIn(world);
  const discarded = [...was.setAside].filter((thing) => !left.has(thing));
  const broken: string[] = [];
  // One that rolls back sets nothing aside any more, and has lost nothing.
  if (action.kind !== "turn-restore" && discarded.length > 0 && !was.isWhole && !isLate)
    broken.push(`I9: ${action.kind} took ${discarded.join(", ")} before the restored cluster is whole`);
  const etcd = recordedEtcd(world);
  if (action.kind === "create-restore" && etcd && hasMajorityOfData(world, etcd))
    broken.push("I11: a restore is asked for, but a majority has its data");
  const stays = unsavedIn(world);
  const lost = [...was.unsaved].filter((uid) => !stays.has(uid) && world.unsaved.has(uid));
  if (lost.length > 0) broken.push(`I12: ${action.kind} took ${lost.join(", ")}, of which nothing is in a store`);
  return broken;
}

function unsavedIn({ claims, unsaved }: World): Set<string> {
  const kept = [...claims.values()].filter(({ uid, isTerminating }) => unsaved.has(uid) && !isTerminating);
  return new Set(kept.map(({ uid }) => uid));
}

/** Voters that have data, perhaps more than the backup and those that answer, and have not been asked. */
function unheard(world: World, etcd: Etcd, { pods }: Observation): string[] {
  const answered = new Set(pods.filter(({ answer }) => answer.status).map(({ name }) => name));
  const silent = votersIn(etcd).filter((voter) => hasData(world, etcd, voter) && !answered.has(voter.host));
  return silent.map(({ host }) => `I13: a restore is asked for, but ${host} has its data and is not heard`);
}

/** The data that a restore has set aside, and that is not about to be deleted. */
function setAsideIn(world: World): Set<string> {
  const isKept = (made: Pod | Claim) => isSetAside(made, world.cluster.status) && !made.isTerminating;
  const pods = [...world.pods.values()].filter((pod) => isKept(pod) && pod.emptyDir?.log && pod.stage !== "ended");
  const claims = [...world.claims.values()].filter(isKept);
  return new Set([...pods.map(({ uid }) => uid), ...claims.map(({ uid }) => uid)]);
}

function isWhole(world: World, etcd: Etcd): boolean {
  const voters = votersIn(etcd);
  const there = majoritySide(world, etcd);
  return (
    voters.length >= world.cluster.spec.size && voters.every(({ id }) => there.some(({ member }) => member.id === id))
  );
}

/** Wherever it is: on a node that is away, on a claim that no pod uses. */
function hasMajorityOfData(world: World, etcd: Etcd): boolean {
  const voters = votersIn(etcd);
  return voters.filter((voter) => hasData(world, etcd, voter)).length >= majorityOf(voters.length);
}

function hasData(world: World, { clusterId }: Etcd, { id }: Member): boolean {
  const pods = [...world.pods.values()].filter(({ stage }) => stage !== "ended");
  const logs = [...pods, ...world.claims.values()].map((owner) => logIn(world, owner));
  return logs.some((log) => log?.memberId === id && log.clusterId === clusterId);
}

/**
 * Whether the voters that run were a majority before, and are none now; or those that will still run when all deletions
 * are through.
 */
function tookMajority(world: World, etcd: Etcd, was: Before, action: Action, isLate: boolean): boolean {
  // From one voter to two there is no other way without learners.
  if (action.kind === "add-member" && was.voters === 1 && !hasLearners(world)) return false;
  // One or two voters, and no member can join first: without learners, or while etcd brings its data down.
  const isInPlace = !hasLearners(world) || etcd.downgradeTarget !== undefined;
  if (action.kind === "restart-member" && was.voters <= 2 && isInPlace) return false;
  if (was.hadMajority && majoritySide(world, etcd).length === 0) return true;
  // An operator that slept after its second check cannot know which pods were deleted meanwhile; its own deletions are
  // its fault.
  const looksAhead = action.kind === "delete-pods" || !isLate;
  return looksAhead && was.hadLastingMajority && !hasLastingMajority(world, etcd);
}

/** Which promises the world as it is breaks. */
export function brokenInWorld(world: World): string[] {
  const broken = [...world.broken];
  for (const etcd of world.etcds.values()) {
    if (canForget(world, etcd)) broken.push(`I3: a majority without entry ${etcd.acknowledged} could form`);
  }
  const founded = new Set(
    [...world.pods.values()].flatMap((pod) =>
      pod.start.kind === "seed" ? (runningLog(world, pod)?.clusterId ?? []) : [],
    ),
  );
  if (founded.size > 1) broken.push("I4: initial members of two clusters run at once");
  if (runTwoIncarnations(world)) broken.push("I10: members of two incarnations run at once");
  if (runsBesideSurvivors(world)) broken.push("I14: a restored member runs beside one of another cluster");
  return [...broken, ...foreignDirectories(world)];
}

/** What an operator that slept after its second look has made is stopped as soon as it is seen. */
function runTwoIncarnations(world: World): boolean {
  if (!activeRestore(world.cluster.status ?? {})) return false;
  const up = [...world.pods.values()].filter((pod) => runningLog(world, pod) && !pod.isMadeLate);
  return (
    up.some((pod) => isSetAside(pod, world.cluster.status)) && up.some((pod) => !isSetAside(pod, world.cluster.status))
  );
}

/** The same, whatever the status says: it may have been lost, and with it what was set aside. */
function runsBesideSurvivors(world: World): boolean {
  const made = [...world.pods.values()].filter((pod) => !pod.isMadeLate);
  const restored = made.filter(({ start }) => start.kind === "restored");
  if (restored.length === 0) return false;
  const idsOf = (pods: readonly Pod[]) => pods.flatMap((pod) => runningLog(world, pod)?.clusterId ?? []);
  return idsOf(restored).some((id) => idsOf(made).some((other) => other !== id));
}

/**
 * Whether voters that lack writes that were acknowledged to a client are a majority, counting those that run or could:
 * with a log that is behind, or new and without one. A voter whose log is gone cannot, because the guard prevents it.
 */
function canForget(world: World, etcd: Etcd): boolean {
  if (etcd.acknowledged === 0) return false;
  const newest = new Map<string, number>();
  const logs = [...world.pods.values(), ...world.claims.values()].map((owner) => logIn(world, owner));
  for (const log of logs) {
    if (log?.clusterId === etcd.clusterId) newest.set(log.memberId, Math.max(log.index, newest.get(log.memberId) ?? 0));
  }
  const voters = votersIn(etcd);
  const lacking = voters.filter(({ id }) => {
    const index = newest.get(id);
    return index === undefined ? !world.haveServed.has(id) : index < etcd.acknowledged;
  });
  return lacking.length >= majorityOf(voters.length);
}

function logIn(world: World, owner: Pod | Claim): Log | undefined {
  return "disk" in owner ? owner.disk.log : diskOf(world, owner)?.log;
}

function foreignDirectories(world: World): string[] {
  return [...world.pods.values()].flatMap((pod) => {
    const log = runningLog(world, pod);
    const listed = world.etcds.get(log?.clusterId ?? "")?.members.find(({ id }) => id === log?.memberId);
    return listed && listed.host !== pod.name ? [`I5: ${pod.name} runs on the directory of ${listed.host}`] : [];
  });
}

/** What must not be removed while no majority is seen: members, claims, and pods that run or have the only data. */
function dearIn(world: World): Set<string> {
  const isOurs = (made: Pod | Claim) => !isSetAside(made, world.cluster.status);
  const pods = [...world.pods.values()].filter(
    (pod) =>
      isOurs(pod) && !pod.isTerminating && pod.stage !== "ended" && (pod.isUp || pod.emptyDir?.log !== undefined),
  );
  const claims = [...world.claims.values()].filter((claim) => isOurs(claim) && !claim.isTerminating);
  const members = recordedEtcd(world)?.members ?? [];
  return new Set([
    ...pods.map(({ name, uid }) => `pod ${name} (${uid})`),
    ...claims.map(({ name, uid }) => `claim ${name} (${uid})`),
    ...members.map(({ host, id }) => `member ${host} (${id})`),
  ]);
}

function takenDownIn(world: World, etcd: Etcd): number {
  return votersIn(etcd).filter(({ id }) => world.takenDown.has(id)).length;
}

function joiningIn({ members }: Etcd): number {
  return members.filter(({ name, isLearner }) => name === "" || isLearner).length;
}

/** Everything that the operator may write, except the status. */
function fingerprintOf(world: World): string {
  const pods = [...world.pods.values()].map(
    ({ uid, version, gate, isTerminating, image }) => `${uid} ${version} ${gate} ${isTerminating} ${image}`,
  );
  const claims = [...world.claims.values()].map(
    ({ uid, version, isTerminating }) => `${uid} ${version} ${isTerminating}`,
  );
  const etcds = [...world.etcds.values()].map(
    ({ index, leaderId, members }) => `${index} ${leaderId} ${members.length}`,
  );
  return [...pods, ...claims, ...etcds, world.hasPeerService, world.hasClientService, world.minAvailable].join("\n");
}
