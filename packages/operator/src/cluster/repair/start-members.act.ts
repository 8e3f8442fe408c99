import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { allOf, type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { isBehind, type LogReached } from "../guard/log-reached.ts";
import { joiningStart } from "../membership/joining.ts";
import type { ActionOutcome, MemberToStart } from "../model/action.ts";
import type { Start } from "../objects/pod/start.ts";
import { claimSeen } from "../observe/claim-seen.ts";
import { whyFormerMembersMayRun } from "../restore/previous-members.act.ts";
import { whyPodIsUnseen } from "./lost-labels.act.ts";
import { makeMember } from "./member-objects.act.ts";

const UNSEEN_MS = 10_000;

type StartOf<Kind extends Start["kind"]> = MemberToStart & { readonly start: Extract<Start, { kind: Kind }> };

/** Creates the claims and pods of members, each after a live check of the data that its kind of start could ruin. */
export async function startMembers(work: Work, members: readonly MemberToStart[]): Promise<ActionOutcome> {
  const change = await work.live.clusterHasChanged();
  return change ?? allOf(members.map((member) => startMember(work, member)));
}

async function startMember(work: Work, member: MemberToStart): Promise<ActionOutcome> {
  const checked = await check(work, member);
  return "why" in checked ? checked : makeMember(work, checked);
}

/** The member as it may start now, or why it may not. */
async function check(work: Work, member: MemberToStart): Promise<MemberToStart | Postponed> {
  const { start } = member;
  switch (start.kind) {
    case "seed":
      return checkSeed(work, { ...member, start });
    case "restored":
      return (await whyFormerMembersMayRun(work)) ?? checkSeed(work, { ...member, start });
    case "joining":
      return checkJoining(work, { ...member, start });
    case "returning":
      return checkReturning(work, { ...member, start });
  }
}

/** Bootstraps a cluster only as declared, and only while there is none. */
async function checkSeed({ seen }: Work, seed: StartOf<"seed" | "restored">): Promise<MemberToStart | Postponed> {
  const { clusterID, memberIntents = [] } = seen.cluster.status ?? {};
  if (clusterID) return postponed(`not bootstrapping ${seed.name}: etcd cluster ${clusterID} exists`);
  const isDeclared = memberIntents.some(
    ({ name, purpose, incarnation }) => name === seed.name && purpose === "Seed" && incarnation === seed.incarnation,
  );
  return isDeclared ? seed : postponed(`${seed.name} is not declared as an initial member of this incarnation`);
}

/**
 * The list decides, and is taken from one member where there is no majority: without learners the majority may wait for
 * this very pod.
 */
async function checkJoining({ seen, etcd }: Work, joining: StartOf<"joining">): Promise<MemberToStart | Postponed> {
  if (joining.start.clusterId !== seen.cluster.status?.clusterID) return otherCluster(joining);
  const list = seen.membership.kind === "confirmed" ? await etcd.members() : await etcd.newestCopy();
  if (list.kind === "postponed") return list;
  const start = joiningStart(list.members, seen.cluster, joining.name);
  return start.kind === "postponed" ? start : { ...joining, start };
}

/** Back to its own volume, by UID and by its annotations, and only once the previous pod is deleted. */
async function checkReturning({ seen, live }: Work, member: StartOf<"returning">): Promise<MemberToStart | Postponed> {
  const { name, start } = member;
  if (start.clusterId !== seen.cluster.status?.clusterID) return otherCluster(member);
  const [pod, found] = await Promise.all([
    live.find(resources.pods, name),
    live.find(resources.persistentVolumeClaims, name),
  ]);
  if (pod) return whyPodStays(pod, seen);
  const claim = found && claimSeen(found, seen.cluster.metadata.uid);
  const isSame = claim?.uid === member.claim?.uid && claim?.isTerminating === false;
  if (!isSame) return postponed(`PVC ${name} was replaced since it was read`);
  const isItsOwn = claim.memberId === start.memberId && claim.clusterId === start.clusterId;
  if (isItsOwn) return toldOfItsLog(member, claim.logReached);
  return postponed(`PVC ${name} does not hold member ${start.memberId} of cluster ${start.clusterId}`);
}

/** A terminating pod is soon gone; one that lost its labels stays until its user has handled it. */
function whyPodStays(pod: Stored<Pod>, { cluster }: Work["seen"]): Postponed {
  const unseen = pod.metadata.deletionTimestamp ? undefined : whyPodIsUnseen(pod, cluster);
  return unseen ? postponed(unseen, UNSEEN_MS) : postponed(`Pod ${pod.metadata.name} still exists`);
}

/**
 * What we remember may be newer than the annotation on its claim; an annotation that a user removed lets it start on
 * older data.
 */
function toldOfItsLog({ logReached, ...member }: MemberToStart, noted: LogReached | undefined): MemberToStart {
  if (!noted) return member;
  return { ...member, logReached: logReached && isBehind(noted, logReached) ? logReached : noted };
}

function otherCluster({ name, start }: StartOf<"joining" | "returning">): Postponed {
  return postponed(`${name} belongs to cluster ${start.clusterId}, which is not the recorded one`);
}
