import { type Expectation, verdict } from "@etcd-operator/operator/cluster/guard/verdict.ts";
import { transferSecretName } from "@etcd-operator/operator/transfer/names.ts";
import { liveMembers, runningLog } from "./etcd-model.ts";
import {
  type Disk,
  diskOf,
  type Etcd,
  isStale,
  type Member,
  OUR_IMAGE,
  type Pod,
  recordedId,
  type World,
} from "./world.ts";

/** What a user may have written by mistake: no pod that was made with it ever runs. */
export const NO_SUCH_IMAGE = "example/typo";
export const NO_SUCH_VERSION = "3.5.99";
export const NO_SUCH_ZONE = "nowhere";
export const IMAGE = "quay.io/coreos/etcd";
/** Where the same images are too. */
export const MIRROR = "example/mirror";

/** Starts what should run in a pod, or tries it again. */
export function startPod(world: World, pod: Pod): void {
  const disk = diskOf(world, pod);
  if (pod.node !== "up" || pod.stage === "ended" || pod.isTerminating || pod.isUp || !disk) return;
  if (pod.incarnation === undefined) {
    endPod(world, pod);
    return;
  }
  pod.version += 1;
  // It waits for its volumes, of which that is one.
  if (pod.start.kind === "restored" && !world.secrets.has(transferSecretName(pod.name))) return;
  if (pod.zone === NO_SUCH_ZONE) {
    pod.trouble = "Unschedulable";
    return;
  }
  if (!isThere(pod.image)) {
    pod.trouble = "ImagePullBackOff";
    return;
  }
  if (pod.image === OUR_IMAGE) {
    Object.assign(pod, { trouble: "CreateContainerError", isFenceSeen: true });
    return;
  }
  pod.trouble = undefined;
  pod.notReadySinceMs ??= world.nowMs;
  if (!pod.isPastGuard && pod.start.kind === "restored") restore(world, pod, disk, pod.start);
  pod.isPastGuard ||= isAdmitted(pod, disk);
  if (!pod.isPastGuard) return;
  pod.stage = "running";
  pod.runs = { image: pod.image, version: pod.etcdVersion, id: `${pod.uid}-${pod.version}` };
  pod.isUp = disk.log ? true : startOnEmpty(world, pod, disk);
  if (!pod.isUp) pod.trouble = "CrashLoopBackOff";
}

/** What the kubelet and the endpoints make of a pod; a learner is not ready. */
export function isReady(world: World, pod: Pod, healthy: ReadonlySet<Pod>): boolean {
  if (!healthy.has(pod) || pod.node !== "up" || pod.gate === "closed" || pod.stage !== "running") return false;
  const log = runningLog(world, pod);
  const members = world.etcds.get(log?.clusterId ?? "")?.members ?? [];
  return members.some(({ id, isLearner }) => id === log?.memberId && !isLearner);
}

/** Until the kubelet has handled a pod, it has not been ready since it was created. */
export function notReadySinceMs({ notReadySinceMs: notedMs, wasReady, createdAtMs }: Pod): number | undefined {
  return notedMs ?? (wasReady ? undefined : createdAtMs);
}

/** The kubelet finds that a pod has got another image, and ends what runs. */
export function endStaleProcess(_: World, pod: Pod): void {
  if (pod.node !== "up") return;
  if (pod.image === OUR_IMAGE) pod.isFenceSeen = true;
  if (isStale(pod)) stopProcess(pod);
}

function isThere(image: string): boolean {
  return !image.startsWith(`${NO_SUCH_IMAGE}:`) && !image.endsWith(".99");
}

/** Ends the process of a pod. One of coreos/etcd-operator's pods never runs again. */
export function stopProcess(pod: Pod): void {
  pod.version += 1;
  pod.isUp = false;
  if (pod.incarnation === undefined) pod.stage = "ended";
}

/** The pod never runs again, and keeps no claim from going. */
export function endPod(world: World, pod: Pod): void {
  pod.stage = "ended";
  pod.isUp = false;
  pod.version += 1;
  if (world.claims.get(pod.name)?.isTerminating) world.claims.delete(pod.name);
}

/** The pod is gone for good, and a claim that was only waiting for that too. */
export function dropPod(world: World, pod: Pod): void {
  world.pods.delete(pod.name);
  world.secrets.delete(transferSecretName(pod.name));
  if (world.claims.get(pod.name)?.isTerminating) world.claims.delete(pod.name);
}

/** A client deletes a pod. The API server waits for the kubelet, unless nothing can run in it any more. */
export function deletePod(world: World, pod: Pod): void {
  if (!pod.isTerminating) pod.deletedAtMs = world.nowMs;
  pod.isTerminating = true;
  pod.version += 1;
  if (pod.stage === "ended") dropPod(world, pod);
}

/** A client deletes a claim: it stays as long as a pod uses it. */
export function deleteClaim(world: World, name: string): void {
  const claim = world.claims.get(name);
  const pod = world.pods.get(name);
  if (!claim) return;
  claim.isTerminating = true;
  claim.version += 1;
  if (!pod || pod.emptyDir || pod.stage === "ended") world.claims.delete(name);
}

/** Asks the real guard. */
function isAdmitted(pod: Pod, disk: Disk): boolean {
  const found = disk.log
    ? { kind: "member" as const, memberId: numberOf(disk.log.memberId), clusterId: numberOf(disk.log.clusterId) }
    : { kind: "empty" as const };
  const expected: Expectation = {
    start: pod.start.kind,
    memberId: pod.memberId === undefined ? undefined : numberOf(pod.memberId),
    clusterId: pod.clusterId === undefined ? undefined : numberOf(pod.clusterId),
    isOwnData: disk.markedBy === pod.uid,
  };
  const judged = verdict(found, expected);
  pod.refusal = judged.kind === "refused" ? judged.refusal : undefined;
  if (judged.kind === "refused") return false;
  if (found.kind === "empty") disk.markedBy = pod.uid;
  return true;
}

/** A first start. What etcd makes of an empty directory depends on its flags. */
function startOnEmpty(world: World, pod: Pod, disk: Disk): boolean {
  // Once it is identified it gets only itself as initial cluster, and ends.
  if (pod.memberId !== undefined) return false;
  switch (pod.start.kind) {
    case "seed":
      return found(world, pod, disk, pod.start);
    case "joining":
      return join(world, pod, disk, pod.start.peers);
    case "returning":
    case "restored":
      return false;
  }
}

/**
 * The init containers of a restored initial member. They run again when the sandbox is rebuilt, and start over until
 * its identity is written down; what they make is a cluster of one.
 */
function restore(world: World, pod: Pod, disk: Disk, { token }: Extract<Pod["start"], { kind: "restored" }>): void {
  if (pod.memberId !== undefined) return;
  const [clusterId, id] = [idFrom(`${token} ${pod.name}`), idFrom(`${token} ${pod.name} itself`)];
  const known = world.etcds.get(clusterId);
  if (known && (known.acknowledged > 0 || known.members.length > 1)) {
    world.broken.push(`I5: ${pod.name} is restored again, though others rely on what it had`);
  }
  const members = [{ id, name: pod.name, host: pod.name, isLearner: false }];
  const recorded = recordedId(world);
  if (recorded !== undefined && recorded !== clusterId) {
    world.broken.push(`I4: ${pod.name} is restored as cluster ${clusterId}, but ${recorded} is on record`);
  }
  const fresh = { clusterId, members, index: 1, acknowledged: 0, leaderId: undefined, calmSinceMs: world.nowMs };
  world.etcds.set(clusterId, fresh);
  world.haveRun.add(id);
  disk.log = { memberId: id, clusterId, index: 1, members };
}

function found(world: World, pod: Pod, disk: Disk, start: Extract<Pod["start"], { kind: "seed" }>): boolean {
  const names = [pod.name, ...start.peers.map(({ name }) => name)].sort();
  const clusterId = idFrom(`${start.token} ${names}`);
  const members = names.map((name) => ({ id: idFrom(`${start.token} ${name}`), name, host: name, isLearner: false }));
  const recorded = recordedId(world);
  if (recorded !== undefined && recorded !== clusterId) {
    world.broken.push(`I4: ${pod.name} bootstraps cluster ${clusterId}, but ${recorded} is on record`);
  }
  const etcd: Etcd = world.etcds.get(clusterId) ?? {
    clusterId,
    members,
    index: 1,
    acknowledged: 0,
    leaderId: undefined,
    calmSinceMs: world.nowMs,
  };
  world.etcds.set(clusterId, etcd);
  begin(world, pod, disk, { etcd, id: idFrom(`${start.token} ${pod.name}`), members, index: 1 });
  return true;
}

/** etcd asks the others for the list of members, and exits when that differs from its flags. */
function join(world: World, pod: Pod, disk: Disk, peers: Named): boolean {
  const clusterId = pod.start.kind === "joining" ? pod.start.clusterId : "";
  const etcd = world.etcds.get(clusterId);
  if (!etcd || !liveMembers(world, etcd).some((live) => live.pod.side === pod.side)) return false;
  const itself = etcd.members.find(({ host }) => host === pod.name);
  if (!itself || !isToldOf(pod.name, peers, etcd.members)) return false;
  // The leader believes that this learner has entries which it has not: it never catches up, and ends.
  if (itself.isLearner && world.haveRun.has(itself.id)) return false;
  begin(world, pod, disk, { etcd, id: itself.id, members: etcd.members, index: 0 });
  return true;
}

type Named = readonly { readonly name: string }[];

/** Whether a joining member got exactly the members in the list; it does not start otherwise. */
export function isToldOf(itself: string, peers: Named, members: readonly Member[]): boolean {
  const told = [itself, ...peers.map(({ name }) => name)].sort();
  return told.join() === [...members.map(({ host }) => host)].sort().join();
}

interface FirstStart {
  readonly etcd: Etcd;
  readonly id: string;
  readonly members: readonly Member[];
  readonly index: number;
}

function begin(world: World, pod: Pod, disk: Disk, { etcd, id, members, index }: FirstStart): void {
  if (world.haveServed.has(id) && canHarm(etcd, id)) {
    world.broken.push(`I5: ${pod.name} has served before and runs on an empty directory`);
  }
  world.haveRun.add(id);
  disk.log = { memberId: id, clusterId: etcd.clusterId, index, members };
  etcd.calmSinceMs = world.nowMs;
}

/**
 * One that never reported its name to the others, added as a voter beside one other, may begin again: no majority goes
 * without that other, which has everything.
 */
function canHarm({ members }: Etcd, id: string): boolean {
  const isUnstarted = members.some((member) => member.id === id && member.name === "");
  return !isUnstarted || members.length > 2;
}

function numberOf(id: string): bigint {
  return BigInt(`0x${id}`);
}

/**
 * FNV-1a: the ids of initial members follow from their flags, so that those with the same flags make one
 * cluster.
 */
function idFrom(text: string): string {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return `f${(hash >>> 0).toString(16)}`;
}
