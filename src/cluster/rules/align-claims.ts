import { idOf, listOf, type Rule } from "../situation.ts";

/** Whether claims go with their cluster is up to the user, also after they were made. */
export const alignClaims: Rule = ({ seen, spec }) => {
  const isOwned = spec.persistentVolumeClaimRetentionPolicy.whenDeleted === "Delete";
  const wrong = seen.claims.filter((claim) => claim.isOwned !== isOwned && !claim.isTerminating);
  if (wrong.length === 0) return undefined;
  const fate = isOwned ? "go with the cluster" : "stay when the cluster is deleted";
  const message = `Claims ${listOf(wrong.map(({ name }) => name))} will ${fate}`;
  return { kind: "align-claims", claims: wrong.map(idOf), isOwned, reason: "ClaimsAligned", message };
};
