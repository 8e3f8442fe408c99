import { idOf, listOf, type Rule } from "../model/situation.ts";

/**
 * A claim that lost its labels would not be found once its pod is gone, and its member be replaced by an empty one.
 * Before anything else is written on it: changes of an object without labels are not watched.
 */
export const labelClaims: Rule = ({ seen, spec }) => {
  const claims = seen.claims.filter(({ lacksLabels, isTerminating }) => lacksLabels && !isTerminating);
  if (claims.length === 0) return undefined;
  const isOwned = spec.persistentVolumeClaimRetentionPolicy.whenDeleted === "Delete";
  const message = `Restoring the cluster labels of the PVCs ${listOf(claims.map(({ name }) => name))}`;
  return { kind: "align-claims", claims: claims.map(idOf), isOwned, reason: "ClaimsAligned", message };
};

/** Whether claims are deleted with their cluster is up to the user, also after they were made. */
export const alignClaims: Rule = ({ seen, spec }) => {
  const isOwned = spec.persistentVolumeClaimRetentionPolicy.whenDeleted === "Delete";
  const wrong = seen.claims.filter((claim) => claim.isOwned !== isOwned && !claim.isTerminating);
  if (wrong.length === 0) return undefined;
  const fate = isOwned ? "be deleted with the cluster" : "be kept when the cluster is deleted";
  const message = `The PVCs ${listOf(wrong.map(({ name }) => name))} will ${fate}`;
  return { kind: "align-claims", claims: wrong.map(idOf), isOwned, reason: "ClaimsAligned", message };
};
