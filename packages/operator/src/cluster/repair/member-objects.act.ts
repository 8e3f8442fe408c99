import { parseVersion, type Version } from "@etcd-operator/etcd-client";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { makeTransferSecret } from "../../transfer/trust/transfer-secret.ts";
import { ActionError } from "../act/action-error.ts";
import { DONE, type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { elsewhere } from "../membership/rebalance.rule.ts";
import { openGate } from "../membership/set-gates.act.ts";
import type { ActionOutcome, MemberToStart } from "../model/action.ts";
import { situationOf } from "../model/situation.ts";
import type { Asked } from "../objects/admission-note.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { claim } from "../objects/claim.ts";
import { memberPod } from "../objects/pod/pod.ts";
import { wantedMetadata } from "../objects/pod/pod-metadata.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { asksForLivez } from "../observe/etcd-container.ts";
import { ownAnnotations } from "../observe/own-annotations.ts";
import { isOwnedBy } from "../observe/ownership.ts";
import { noteAdmission } from "../rollout/record-admission.act.ts";
import { freeKeptClaim } from "../storage/free-kept-claim.act.ts";

const { persistentVolumeClaims, pods } = resources;

type Named = Pick<MemberToStart, "name" | "incarnation">;

/**
 * Makes the claim, where the member needs a new one, and then the pod. What an earlier try made of them is taken as it
 * is.
 */
export async function makeMember(work: Work, member: MemberToStart): Promise<ActionOutcome> {
  const obstacle = member.start.kind === "returning" ? undefined : await makeClaimSomehow(work, member);
  return obstacle ?? makePod(work, member);
}

async function makeClaimSomehow(work: Work, member: MemberToStart): Promise<Postponed | undefined> {
  try {
    return await makeClaim(work, member);
  } catch (error) {
    const freed = await freeKeptClaim(work, error);
    if (freed) return freed;
    throw error;
  }
}

/** Throws unless a claim and a pod of this name are absent, or from an earlier try. */
export async function checkPlace(work: Work, member: Named): Promise<void> {
  const [foundClaim, foundPod] = await Promise.all([
    work.live.find(persistentVolumeClaims, member.name),
    work.live.find(pods, member.name),
  ]);
  const obstacle =
    (foundClaim && whyClaimIsUnfit(work, foundClaim, member)) ?? (foundPod && whyNotOurs(work, foundPod, member));
  if (obstacle) throw new ActionError("name-taken", `creating ${member.name}`, obstacle);
}

/** The pod as it would be made. */
export function podOf({ seen, guardImage }: Work, member: MemberToStart): Pod {
  const { name, incarnation, start, logReached } = member;
  const cluster = start.kind === "returning" ? onClaims(seen.cluster) : seen.cluster;
  return memberPod({
    cluster,
    member: name,
    version: versionOf(member),
    incarnation,
    start,
    guardImage,
    ca: seen.tls?.ca,
    logReached,
    elsewhere: start.kind === "joining" ? elsewhere(situationOf(seen)) : undefined,
  });
}

/** A returning member keeps its volume, also when the spec has no volumes any more. */
function onClaims<T extends EtcdCluster>(cluster: T): T {
  const { pod } = cluster.spec;
  if (pod?.persistentVolumeClaimSpec) return cluster;
  return { ...cluster, spec: { ...cluster.spec, pod: { ...pod, persistentVolumeClaimSpec: {} } } };
}

async function makeClaim(work: Work, member: MemberToStart): Promise<Postponed | undefined> {
  const { name, incarnation } = member;
  const wanted = claim(work.seen.cluster, name, incarnation);
  if (!wanted || (await created(() => work.writer.create(persistentVolumeClaims, wanted)))) return undefined;
  const found = await work.live.find(persistentVolumeClaims, name);
  if (!found) return postponed(`PVC ${name} was created and deleted`);
  const obstacle = whyClaimIsUnfit(work, found, member);
  if (obstacle) throw new ActionError("name-taken", `creating ${name}`, obstacle);
  return undefined;
}

async function makePod(work: Work, member: MemberToStart): Promise<ActionOutcome> {
  const wanted = podOf(work, member);
  const made = await created(() => work.writer.create(pods, wanted));
  if (made) await noteAdmission(work, made, askedOf(work, wanted));
  // Not before its probes, which ask etcd, find it ready: then there is nothing left to wait for.
  if (made && isVoterWithProbes(work, member, made)) await openGate(work, made);
  if (made && member.start.kind !== "restored") return DONE;
  const found = await work.live.find(pods, member.name);
  const obstacle = found ? whyNotOurs(work, found, member) : `Pod ${member.name} was created and deleted`;
  if (!found || obstacle) return postponed(obstacle ?? "", 1_000);
  return member.start.kind === "restored" ? makeSecret(work, found) : DONE;
}

function askedOf({ seen }: Work, wanted: Pod): Partial<Asked> {
  const image = wanted.metadata?.annotations?.[ANNOTATIONS.askedImage];
  return { ...wantedMetadata(seen.cluster.spec), ...(image !== undefined && { image }) };
}

/**
 * Whether it comes back as the voter that a majority knows, which its guard ensures, in a pod whose probes ask whether
 * it serves.
 */
function isVoterWithProbes({ seen: { membership } }: Work, { start }: MemberToStart, pod: Stored<Pod>): boolean {
  if (start.kind !== "returning" || membership.kind !== "confirmed" || !asksForLivez(pod)) return false;
  return membership.members.some(({ id, isLearner }) => id === start.memberId && !isLearner);
}

/**
 * The Secret that the pod waits for, and that is deleted with it. Also after an earlier attempt that only created the
 * pod.
 */
async function makeSecret({ seen, writer }: Work, pod: Stored<Pod>): Promise<ActionOutcome> {
  const secret = await makeTransferSecret(pod, seen.nowMs);
  await created(() => writer.create(resources.secrets, secret));
  return DONE;
}

/** Undefined when an object of that name is there. */
async function created<T>(create: () => Promise<T>): Promise<T | undefined> {
  try {
    return await create();
  } catch (error) {
    if (hasCode(error, "already-exists")) return undefined;
    throw error;
  }
}

/** A volume is never used twice: data of the previous member would count as the next one's. */
function whyClaimIsUnfit(
  { seen }: Work,
  found: Stored<PersistentVolumeClaim>,
  { name, incarnation }: Named,
): string | undefined {
  const made = claimSeen(found, seen.cluster.metadata.uid);
  if (!made) return `PVC ${name} was not created for this cluster`;
  if (made.incarnation !== incarnation) return `PVC ${name} is of another incarnation`;
  if (made.memberId !== undefined) return `PVC ${name} holds the data of member ${made.memberId}`;
  return made.isTerminating ? `PVC ${name} is being deleted` : undefined;
}

function whyNotOurs({ seen }: Work, found: Stored<Pod>, { name, incarnation }: Named): string | undefined {
  if (!isOwnedBy(found, seen.cluster.metadata.uid)) return `Pod ${name} exists and belongs to another owner`;
  if (ownAnnotations(found).incarnation !== incarnation) return `Pod ${name} is of another incarnation`;
  return found.metadata.deletionTimestamp ? `Pod ${name} is still being deleted` : undefined;
}

function versionOf({ name, version }: MemberToStart): Version {
  const parsed = parseVersion(version);
  if (parsed) return parsed;
  throw new ActionError("invalid", `creating ${name}`, `'${version}' is not a version of etcd`);
}
