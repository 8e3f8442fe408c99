import type { Refusal } from "../guard/refusal.ts";
import type { MemberSeen } from "./members.ts";
import { isStarted } from "./situation.ts";

/**
 * The states of a member: it is in the first one, from above, whose `is` holds. What asks for the state of a member, or
 * for its data, asks this file. How long a member may stay away, and when it is replaced, is in `replacement.ts`.
 */
export type MemberState = "healthy" | "barred" | "lost" | "surviving" | "silent" | "absent";

interface StateFacts {
  readonly is: (member: MemberSeen) => boolean;
  /** Under which it is listed while there is no majority. */
  readonly heading: string;
  /** What a user can do about it, or with it, then. */
  readonly remedy: Remedy | undefined;
}

export type Remedy = "wait" | "give-volume-back" | "save-data";

export const MEMBER_STATES: Readonly<Record<MemberState, StateFacts>> = {
  /** It reads through a majority. */
  healthy: {
    is: ({ health }) => health === "healthy",
    heading: "Still running",
    remedy: "save-data",
  },
  /**
   * The guard does not start etcd on data that is not its own, or that it cannot read. A user could give its volume
   * back.
   */
  barred: {
    is: ({ pod }) => pod?.refusal !== undefined && !WITHOUT_DATA.has(pod.refusal),
    heading: "Prevented from starting",
    remedy: "give-volume-back",
  },
  /** It had data, and cannot return to it. */
  lost: {
    is: (member) => !mayReturn(member) && hasHadData(member),
    heading: "Permanently lost",
    remedy: undefined,
  },
  /** It answers, but has no majority to work with. */
  surviving: {
    is: ({ pod }) => pod?.answer.status !== undefined,
    heading: "Still running",
    remedy: "save-data",
  },
  /** Its pod runs, but does not answer; or its pod is not ours to see. */
  silent: {
    is: ({ isExternal, pod }) => isExternal || (pod?.stage === "running" && !pod.isTerminating),
    heading: "Not answering",
    remedy: "wait",
  },
  /** It has no running pod; its data is still there, or was never made. */
  absent: {
    is: () => true,
    heading: "Without a running pod",
    remedy: "wait",
  },
};

export function memberStateOf(member: MemberSeen): MemberState {
  const states = Object.keys(MEMBER_STATES) as MemberState[];
  return states.find((state) => MEMBER_STATES[state].is(member)) ?? "absent";
}

/** Refusals for lack of data: no user could undo them. */
const WITHOUT_DATA: ReadonlySet<Refusal> = new Set(["data-gone", "log-gone"]);

/** Whether there was something to lose that cannot be elsewhere. */
function hasHadData({ etcd, intent, claim, isExternal }: MemberSeen): boolean {
  if (isExternal || etcd?.name === "" || intent?.purpose === "Join") return false;
  // It is not known whose data lies on the claim of an unknown member, but it lies there.
  return etcd !== undefined || claim === undefined;
}

/** What a member's data depends on. */
type Holders = Pick<MemberSeen, "pod" | "claim" | "etcd">;

/** The states of a member's data. */
export type DataState = "there" | "refused" | "out-of-reach" | "volume-lost" | "gone";

interface DataFacts {
  /**
   * Whether the member can come back as itself. It is asked before one member is replaced: the majority has all that
   * was acknowledged, so a wrong "no" costs a transfer of the data.
   */
  readonly mayReturn: boolean;
  /**
   * Whether nothing holds the data any more. It is asked before a backup replaces all members: a wrong "yes" costs
   * writes. So what may still hold data counts as if it did, whether the member could return to it or not.
   */
  readonly isProvablyGone: boolean;
}

export const DATA_STATES: Readonly<Record<DataState, DataFacts>> = {
  /** Its pod or its claim has it, or may have it. */
  there: { mayReturn: true, isProvablyGone: false },
  /** The guard lets nothing start on it. */
  refused: { mayReturn: false, isProvablyGone: false },
  /** Its pod has it and is being deleted; or its claim is being deleted, or not known to be of this member. */
  "out-of-reach": { mayReturn: false, isProvablyGone: false },
  /** No volume has it, but a claim or a waiting pod is left of the member: it gets the time that any other gets. */
  "volume-lost": { mayReturn: true, isProvablyGone: true },
  /** Nothing is left of it. */
  gone: { mayReturn: false, isProvablyGone: true },
};

/**
 * A claim is a member's own if it is known to be and is not being deleted; "lost" if the volume that it was bound to
 * does not exist any more.
 */
type ClaimState = "own" | "own-lost" | "other" | "other-lost" | "none";
type Five<T> = readonly [own: T, ownLost: T, other: T, otherLost: T, none: T];

function byClaim(...[own, ownLost, other, otherLost, none]: Five<DataState>): Readonly<Record<ClaimState, DataState>> {
  return { own, "own-lost": ownLost, other, "other-lost": otherLost, none };
}

/** Where a member's data is, by its pod and its claim, unless the guard has refused it. */
const DATA_BY = {
  /** Or it has ended for good. */
  none: byClaim("there", "volume-lost", "out-of-reach", "gone", "gone"),
  /** It waits for a node that can mount its claim. */
  unplaced: byClaim("there", "volume-lost", "there", "volume-lost", "volume-lost"),
  /** The EtcdRestore is being deleted, and its data is deleted with it. */
  going: byClaim("there", "there", "out-of-reach", "out-of-reach", "out-of-reach"),
  present: byClaim("there", "there", "there", "there", "there"),
};

export function dataStateOf(member: Holders): DataState {
  const state = DATA_BY[podStateOf(member)][claimStateOf(member)];
  if (member.pod?.refusal === undefined) return state;
  return DATA_STATES[state].isProvablyGone ? "gone" : "refused";
}

/** Whether a member can come back as itself. One that merely cannot be seen can. */
export function mayReturn(member: Holders): boolean {
  return DATA_STATES[dataStateOf(member)].mayReturn;
}

/** Whether nothing holds a member's data any more. Undefined: nothing is left of the member. */
export function isDataProvablyGone(member: Holders | undefined): boolean {
  return member === undefined || DATA_STATES[dataStateOf(member)].isProvablyGone;
}

function podStateOf({ pod }: Holders): keyof typeof DATA_BY {
  if (!pod || pod.stage === "ended") return "none";
  // Nothing stops a deletion, and the pod's data is deleted with it.
  if (pod.isTerminating) return pod.usesClaim ? "present" : "going";
  // What is mounted is there, whatever became of its claim; where nothing can be mounted, nothing runs.
  return pod.usesClaim && !pod.isScheduled ? "unplaced" : "present";
}

function claimStateOf(member: Holders): ClaimState {
  const { claim } = member;
  if (!claim) return "none";
  if (hasUsableClaim(member)) return claim.hasLostVolume ? "own-lost" : "own";
  return claim.hasLostVolume ? "other-lost" : "other";
}

/** Whether there is a claim that it can come back to as itself. */
export function hasUsableClaim({ etcd, claim }: Pick<MemberSeen, "etcd" | "claim">): boolean {
  if (!claim || claim.isTerminating || claim.memberId === undefined) return false;
  return etcd === undefined || claim.memberId === etcd.id;
}

/**
 * Whether a member that runs loses its data with its pod: its claim was deleted, and Kubernetes keeps that only for as
 * long as a pod uses it (pvc-protection); or the volume behind the claim does not exist any more.
 */
export function losesVolume({ pod, claim }: MemberSeen): boolean {
  return pod?.usesClaim === true && (claim?.isTerminating === true || claim?.hasLostVolume === true);
}

/** Whether it is more than on its way in. One that is not is not missed while it is not healthy. */
export function hasJoined(member: MemberSeen): boolean {
  return member.intent === undefined && (member.etcd === undefined || isStarted(member));
}

/** Whether it has no vote yet that it has used: it is declared, a learner, or has never started. */
export function isJoining(member: MemberSeen): boolean {
  return member.etcd === undefined || member.etcd.isLearner || !isStarted(member);
}

/** Whether it must answer at some time: etcd lists it, or its pod has been made. */
export function isExpected({ etcd, intent, pod }: MemberSeen): boolean {
  return etcd !== undefined || (intent !== undefined && pod !== undefined);
}

/** Why a member is not healthy, as far as is known. */
function whyNotHealthy(member: MemberSeen): string {
  const { pod, etcd, isExternal } = member;
  if (pod?.refusal) return `the guard refused its data: ${pod.refusal}`;
  if (isExternal) return "it was added by another client, and the operator cannot reach it";
  if (memberStateOf(member) === "lost") return "its pod was deleted, and its data with it";
  if (pod?.trouble) return pod.trouble;
  if (!pod) return etcd?.name === "" ? "it has not started yet" : "it has no pod";
  if (pod.answer.otherClusterId) return `the etcd cluster ${pod.answer.otherClusterId} responds in its place`;
  if (pod.isTerminating) return "its pod is being deleted";
  if (!pod.isScheduled && member.claim?.isUnbound)
    return `its PersistentVolumeClaim '${member.claim.name}' is not bound yet`;
  if (!pod.isScheduled) return "its pod has not been assigned to a node yet";
  if (pod.stage !== "running") return pod.stage === "ended" ? "its pod has ended" : "its pod has not started yet";
  return pod.answer.why ?? (pod.answer.status ? "it has no quorum" : "it does not respond");
}

/** "b (it does not answer), c (it has no pod)" */
export function namesAndWhy(members: readonly MemberSeen[]): string {
  return members
    .map((member) => `${member.name} (${whyNotHealthy(member)})`)
    .sort()
    .join(", ");
}
