import type { Action } from "@etcd-operator/operator/cluster/model/action.ts";
import { majorityOf } from "@etcd-operator/operator/cluster/model/quorum.ts";
import { etcdImage } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { claimHash, specHash } from "@etcd-operator/operator/cluster/objects/pod/spec-hash.ts";
import { podDisruptionBudget } from "@etcd-operator/operator/cluster/objects/pod-disruption-budget.ts";
import { activeRestore } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import { healthyPods, majoritySide, votersIn } from "./etcd-model.ts";
import { isBlamedOnSpec, isStuck, NEEDS_RUNNING_MAJORITY } from "./known-gaps.ts";
import { NO_SUCH_ZONE } from "./kubelet-model.ts";
import { storageOf } from "./made-in-world.ts";
import { diskOf, type Etcd, isStale, type Member, type Pod, recordedEtcd, type World } from "./world.ts";

/** In what a world that the planner is content with differs from what it should be. */
export function flawsOf(world: World): string[] {
  const etcd = recordedEtcd(world);
  if (!etcd) return ["no cluster is on record"];
  const { spec, status } = world.cluster;
  const flaws: string[] = [];
  const hosts = new Set(etcd.members.map(({ host }) => host));
  const stray = (names: Iterable<string>) =>
    [...names].filter((name) => !hosts.has(name) && (world.pods.get(name)?.node ?? "up") === "up");
  if (votersIn(etcd).length !== spec.size || etcd.members.length !== spec.size)
    flaws.push(`${etcd.members.length} members`);
  for (const { host, id } of etcd.members) flaws.push(...flawsOfMember(world, host, id));
  if ((status?.memberIntents ?? []).length > 0) flaws.push("intents remain");
  if (activeRestore(status ?? {})) flaws.push(`a restore is ${status?.restore?.state}`);
  if (stray(world.pods.keys()).length > 0) flaws.push(`stray pods ${stray(world.pods.keys())}`);
  const keepsClaims = spec.persistentVolumeClaimRetentionPolicy.whenScaled === "Retain";
  const claims = [...world.claims.values()].filter(({ uid }) => !world.unsaved.has(uid)).map(({ name }) => name);
  if (!keepsClaims && stray(claims).length > 0) flaws.push(`stray claims ${stray(claims)}`);
  const wanted = podDisruptionBudget(world.cluster, spec.size).spec?.minAvailable;
  if (world.minAvailable !== wanted) flaws.push(`a budget of ${world.minAvailable}`);
  return flaws;
}

function flawsOfMember(world: World, host: string, id: string): string[] {
  const pod = world.pods.get(host);
  if (!pod) return [`${host} has no pod`];
  const { spec } = world.cluster;
  if (pod.start.kind === "restored") return [`${host} could be restored again`];
  if (isStale(pod) || pod.image !== etcdImage(world.cluster, spec.version)) return [`${host} has ${pod.image}`];
  if ((pod.specHash ?? specHash(spec)) !== specHash(spec)) return [`the pod of ${host} is of another spec`];
  if (pod.labels.team !== spec.pod?.labels?.team) return [`the pod of ${host} has other labels`];
  const claim = world.claims.get(host);
  if (claim && claim.storage < storageOf(world)) return [`the claim of ${host} is too small`];
  if (!pod.emptyDir && (claim?.claimHash ?? claimHash(spec)) !== claimHash(spec))
    return [`${host} is on another kind of volume`];
  if (!healthyPods(world).has(pod)) return [`${host} is not healthy`];
  if (pod.gate === "closed") return [`${host} gets no clients`];
  if (pod.memberId !== id) return [`${host} is not identified`];
  return pod.emptyDir || world.claims.get(host)?.memberId === id ? [] : [`the claim of ${host} is not identified`];
}

/** What the planner says when there may be a cluster, but it is unknown which. */
const PATIENT = ["WaitingForAdoption", "VolumesWithoutIdentity", "ClusterIdsDiffer", "MembersGone", "NothingRestored"];

/**
 * Whether there is a good reason to do nothing for ever: no majority is left, no upgrade path leads to the version, or
 * an unreachable initial member may still run.
 */
export function isExcused(world: World, { reason }: Action): boolean {
  const etcd = recordedEtcd(world);
  if (etcd && [...world.pods.values()].some((pod) => isBlamedOnSpec(pod, world, Boolean(diskOf(world, pod)?.log))))
    return true;
  if (etcd && reason === "VersionRefused") return flawsOf(world).every((flaw) => flaw.includes(" has "));
  if (etcd) return reason === "NoQuorum" && !hasAbleMajority(world, etcd);
  if ([...world.pods.values()].some(({ node }) => node !== "up")) return true;
  if (reason === "FencingMembers" && waitsForUser(world)) return true;
  return PATIENT.includes(reason) && ![...world.etcds.values()].some((each) => canBeAdopted(world, each));
}

/** Nothing was saved of the data that ends with its process: only the user can decide to lose it. */
function waitsForUser({ cluster, pods }: World): boolean {
  const isPerishable = ({ gate, emptyDir, isUp }: Pod) => gate === "absent" && emptyDir !== undefined && isUp;
  return !cluster.status?.restore?.saved && [...pods.values()].some(isPerishable);
}

function canBeAdopted(world: World, etcd: Etcd): boolean {
  return NEEDS_RUNNING_MAJORITY ? majoritySide(world, etcd).length > 0 : hasAbleMajority(world, etcd);
}

/** Whether a majority of the voters has its data still, or never had any. */
export function hasAbleMajority(world: World, etcd: Etcd): boolean {
  const voters = votersIn(etcd);
  return voters.filter((voter) => isAble(world, etcd, voter)).length >= majorityOf(voters.length);
}

function isAble(world: World, etcd: Etcd, { id, host }: Member): boolean {
  const pod = world.pods.get(host);
  // A claim that is to be deleted is deleted with its pod, and this one runs nowhere.
  if (pod?.zone === NO_SUCH_ZONE && world.claims.get(host)?.isTerminating) return false;
  if (pod && pod.stage !== "ended") {
    const log = diskOf(world, pod)?.log;
    return pod.node === "up" && (log ? log.memberId === id : !world.haveServed.has(id)) && !isStuck(pod, etcd);
  }
  const claim = world.claims.get(host);
  return claim?.disk.log?.memberId === id && !claim.isTerminating;
}
