import { parseQuantity } from "../../api/quantity.ts";
import { idOf, listOf, type Rule } from "../situation.ts";

/** Volumes grow under running members, where their storage class allows it; whether it does, the API server says. */
export const expandClaims: Rule = ({ seen, spec, listed }) => {
  const wanted = spec.pod?.persistentVolumeClaimSpec?.resources?.requests?.storage;
  const bytes = wanted === undefined ? undefined : parseQuantity(wanted);
  if (wanted === undefined || bytes === undefined) return undefined;
  const claims = seen.claims.filter(({ name, storage, isTerminating }) => {
    // Of a claim that is not bound yet Kubernetes does not take another size.
    const isInUse = listed.some((member) => member.name === name && member.health === "healthy");
    return isInUse && !isTerminating && storage !== undefined && (parseQuantity(storage) ?? bytes) < bytes;
  });
  if (claims.length === 0) return undefined;
  const message = `Claims ${listOf(claims.map(({ name }) => name))} grow to ${wanted}`;
  return {
    kind: "expand-claims",
    claims: claims.map(idOf),
    storage: String(wanted),
    reason: "ExpandingClaims",
    message,
  };
};
