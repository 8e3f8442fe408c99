import type { Action } from "../action.ts";
import { isSettled } from "../outdated.ts";
import { activeRestore } from "../restoring.ts";
import { idOf, isIdentified, listOf, type Rule, type Situation } from "../situation.ts";

/** When all members of the restored cluster vote and serve, what was set aside for it goes: first the pods, then the claims. */
export const finishRestore: Rule = (now) => {
  const { seen, spec, status } = now;
  const restore = activeRestore(status);
  if (restore?.state !== "Joining" || !isWhole(now)) return undefined;
  const goes = ({ isTerminating }: { readonly isTerminating: boolean }) => !isTerminating;
  const pods = seen.setAside.pods.filter(goes);
  const keepsClaims = spec.persistentVolumeClaimRetentionPolicy.whenScaled === "Retain";
  const claims = keepsClaims ? [] : seen.setAside.claims.filter(goes);
  if (pods.length > 0) return discarding(pods, []);
  if (claims.length > 0) return discarding([], claims);
  const message = `EtcdRestore ${restore.name} is done: ${now.voters.length} members serve what was restored`;
  return { kind: "turn-restore", to: "Done", reason: "RestoreDone", message };
};

type Thing = Parameters<typeof idOf>[0];

function discarding(pods: readonly Thing[], claims: readonly Thing[]): Action {
  const names = listOf([...pods, ...claims].map(({ name }) => name));
  const message = `The restored cluster is whole, so what it took the place of goes: ${names}`;
  const things = { pods: pods.map(idOf), claims: claims.map(idOf) };
  return { kind: "discard-set-aside", ...things, reason: "RestoreEnds", message };
}

function isWhole({ voters, spec, isConfirmed }: Situation): boolean {
  return isConfirmed && voters.length >= spec.size && voters.every((voter) => isSettled(voter) && isIdentified(voter));
}
