import { type RestoreRequest, restoreRequestOf } from "../../api/restore-request.ts";
import type { AnsweredStatus } from "../model/observation.ts";
import type { Rule, Situation } from "../model/situation.ts";
import type { MemberStatus } from "../status/member-status.status.ts";
import { hasTlsDefects } from "../tls/tls-step.rule.ts";
import { activeRestore, hasAllSaved, nextIncarnation, type RestoreStatus } from "./restoring.rule.ts";

/**
 * A restore was requested: that is recorded before anything is done for it. The requester has verified the snapshot and
 * saved what could be saved. A previous request that is done or was cancelled is over.
 */
export const beginRestore: Rule = (now) => {
  const { seen, status } = now;
  const request = restoreRequestOf(seen.cluster.metadata);
  if (!request || request.isDone || request.uid === status.restore?.uid || isBusy(request, status)) return undefined;
  const what = `EtcdRestore ${request.name}`;
  if (request.isCanceled) {
    const message = `${what} was cancelled before it started`;
    return { kind: "begin-restore", restore: noteOf(request, "RolledBack", now), reason: "RestoreCanceled", message };
  }
  // No member could be created; so none is stopped, and everything else continues.
  if (hasTlsDefects(now.seen)) return undefined;
  const message = `Starting ${what}: the existing members (${countOf(now)}) will be stopped and kept for rollback`;
  return { kind: "begin-restore", restore: noteOf(request, "Fencing", now), reason: "RestoreStarted", message };
};

/**
 * One that is undecided, or being rolled back, ends first; one whose cluster is recorded may be superseded by another.
 */
function isBusy({ isCanceled }: RestoreRequest, status: Situation["status"]): boolean {
  const active = activeRestore(status);
  return active !== undefined && (active.state !== "Joining" || isCanceled === true);
}

function noteOf(
  { name, uid, revision, isSaved, saved }: RestoreRequest,
  state: RestoreStatus["state"],
  now: Situation,
): RestoreStatus {
  const { clusterID, incarnation, memberStatus = [] } = now.status;
  return {
    name,
    uid,
    state,
    revision,
    incarnation: incarnationOf(uid, now),
    ...(isSaved && { saved: true }),
    ...(isSaved && saved && { savedRevision: saved.revision, savedClusterID: saved.clusterID, ...lastToStop(now) }),
    ...keptBefore(now.status),
    ...(clusterID && { previousClusterID: clusterID }),
    ...(incarnation !== undefined && { previousIncarnation: incarnation }),
    ...(clusterID &&
      state !== "RolledBack" && { previousMembers: memberStatus.filter(({ id }) => id).map(withoutTimes) }),
  };
}

/**
 * The leader, which has applied all that was ever acknowledged; and its term, by which it shows later that no other led
 * since.
 */
function lastToStop({ seen }: Situation): Pick<RestoreStatus, "lastToStop" | "lastTerm"> {
  const leader = seen.pods.find(({ answer: { health, status } }) => health === "healthy" && isLeader(status));
  const lastTerm = leader?.answer.status?.log?.term;
  return leader && lastTerm !== undefined ? { lastToStop: leader.name, lastTerm } : {};
}

function isLeader(status: AnsweredStatus | undefined): boolean {
  return status !== undefined && status.leaderId === status.memberId;
}

/**
 * What is kept of the previous cluster. Where one restore replaces another whose cluster was not complete yet,
 * the objects which that had set aside still exist; the latest backup is of the cluster in between.
 */
function keptBefore(status: Situation["status"]): Pick<RestoreStatus, "keepsClaimsBelow"> {
  const active = activeRestore(status);
  const unsaved = active && !hasAllSaved(active) ? active.incarnation : 0;
  const keepsClaimsBelow = Math.max(unsaved, status.restore?.keepsClaimsBelow ?? 0);
  return keepsClaimsBelow > 0 ? { keepsClaimsBelow } : {};
}

/** When they come back, they have their full time again. */
function withoutTimes({ notHealthySince: _, ...member }: MemberStatus): MemberStatus {
  return member;
}

/** Where the status was lost, what this very restore has made already is not set aside. */
function incarnationOf(uid: string, { seen, status }: Situation): number {
  const isForgotten = status.restore === undefined && !status.clusterID;
  const made = seen.pods.flatMap(({ restoring, incarnation }) => (restoring?.uid === uid ? (incarnation ?? []) : []));
  return isForgotten && made.length > 0
    ? Math.min(...made)
    : nextIncarnation(status, [...seen.pods, ...seen.claims, ...seen.setAside.pods, ...seen.setAside.claims]);
}

function countOf({ seen }: Situation): string {
  const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? "" : "s"}`;
  return `${counted(seen.pods.length, "pod")}, ${counted(seen.claims.length, "PVC")}`;
}
