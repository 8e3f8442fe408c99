import { restoreRequestOf } from "../../api/restore-request.ts";
import type { Action } from "../model/action.ts";
import { idOf, isIdentified, type ListedMember, listOf, type Rule, type Situation } from "../model/situation.ts";
import { isSettled } from "../rollout/outdated.rule.ts";
import { activeRestore, hasAllSaved, isKept, type RestoreStatus } from "./restoring.rule.ts";

/**
 * When all members of the restored cluster vote and serve, the previous objects are deleted: first the pods, then
 * the claims.
 */
export const finishRestore: Rule = (now) => {
  const { seen, spec, status } = now;
  const restore = activeRestore(status);
  if (restore?.state !== "Joining" || !isWhole(now, restore)) return undefined;
  const goes = ({ isTerminating }: { readonly isTerminating: boolean }) => !isTerminating;
  const pods = seen.setAside.pods.filter(goes);
  const keepsAll = spec.persistentVolumeClaimRetentionPolicy.whenScaled === "Retain";
  // Where not all could be saved of them, they are all that is left of what was written since.
  const kept = seen.setAside.claims.filter((claim) => goes(claim) && (!hasAllSaved(restore) || isKept(claim, status)));
  const claims = keepsAll ? [] : seen.setAside.claims.filter((claim) => goes(claim) && !kept.includes(claim));
  if (pods.length > 0) return discarding(pods, []);
  if (claims.length > 0) return discarding([], claims);
  const done = `EtcdRestore ${restore.name} is complete: ${now.voters.length} members serve the restored data`;
  const message = [done, ...keptNote(kept, restore)].join(". ");
  return {
    kind: "turn-restore",
    to: "Done",
    ...(kept.length > 0 && { isKeeping: true }),
    reason: "RestoreDone",
    message,
  };
};

function keptNote(claims: readonly Thing[], { saved, savedRevision }: RestoreStatus): string[] {
  if (claims.length === 0) return [];
  const names = listOf(claims.map(({ name }) => name));
  const remedy = "so they are kept: delete them when they are not needed";
  if (!saved) return [`The data on the PVCs ${names} could not be backed up, ${remedy}`];
  const beyond = savedRevision === undefined ? "" : ` beyond revision ${savedRevision}`;
  return [`The PVCs ${names} may have writes${beyond} that are not backed up, ${remedy}`];
}

type Thing = Parameters<typeof idOf>[0];

function discarding(pods: readonly Thing[], claims: readonly Thing[]): Action {
  const names = listOf([...pods, ...claims].map(({ name }) => name));
  const message = `Restore complete: deleting pods and PVCs of the previous cluster: ${names}`;
  const things = { pods: pods.map(idOf), claims: claims.map(idOf) };
  return { kind: "discard-set-aside", ...things, reason: "PreviousMembersRemoved", message };
}

function isWhole({ voters, spec, isConfirmed }: Situation, { revision }: RestoreStatus): boolean {
  if (!isConfirmed || voters.length < spec.size) return false;
  // A member with less data than the snapshot was not created from it.
  const hasAll = ({ pod }: ListedMember) => (pod?.answer.status?.revision ?? -1) >= revision;
  return voters.every((voter) => isSettled(voter) && isIdentified(voter) && hasAll(voter));
}

/**
 * That it is done is written on the request as well, before anything of it is changed: once the pod that it was
 * restored in has been replaced, nothing else records that this very request was applied, should the status be lost.
 */
export const noteDone: Rule = ({ seen, status }) => {
  const request = restoreRequestOf(seen.cluster.metadata);
  if (!request || request.isDone || request.uid !== status.restore?.uid || status.restore.state !== "Done") {
    return undefined;
  }
  const message = `EtcdRestore ${request.name} is complete and will not be applied again`;
  return { kind: "note-done", request: { ...request, isDone: true }, reason: "RestoreDone", message };
};
