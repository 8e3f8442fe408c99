import { parseQuantity } from "../../api/schema/quantity.ts";
import type { Action } from "../model/action.ts";
import type { Health } from "../model/observation.ts";
import { idOf, listOf, type Rule, type Situation } from "../model/situation.ts";

/** Volumes grow under running members, where their storage class allows it; whether it does, the API server says. */
export const expandClaims: Rule = (now) => expansionOf(now, () => true);

/** A volume that is full may be why a member is down, or has no space left, and so what everything else waits for. */
export const expandClaimsInTheWay: Rule = (now) => {
  const { seen, spec } = now;
  const isLeftAlone = seen.problems.length > 0 || spec.paused || seen.cluster.metadata.deletionTimestamp !== undefined;
  const isSpaceLacking = seen.alarms.some(({ kind }) => kind === "no-space");
  return isLeftAlone ? undefined : expansionOf(now, (health) => isSpaceLacking || health !== "healthy");
};

function expansionOf({ seen, spec, listed }: Situation, isMeant: (health: Health) => boolean): Action | undefined {
  const wanted = spec.pod?.persistentVolumeClaimSpec?.resources?.requests?.storage;
  const bytes = wanted === undefined ? undefined : parseQuantity(wanted);
  if (wanted === undefined || bytes === undefined) return undefined;
  const claims = seen.claims.filter(({ name, storage, isTerminating, memberId }) => {
    const isMembers = listed.some((member) => member.name === name && isMeant(member.health));
    // Kubernetes takes another size only of a claim that is bound: one that says whose data it holds has been.
    const canGrow = memberId !== undefined && !isTerminating;
    return isMembers && canGrow && storage !== undefined && (parseQuantity(storage) ?? bytes) < bytes;
  });
  if (claims.length === 0) return undefined;
  const message = `Expanding the PVCs ${listOf(claims.map(({ name }) => name))} to ${wanted}`;
  return {
    kind: "expand-claims",
    claims: claims.map(idOf),
    storage: String(wanted),
    reason: "ExpandingClaims",
    message,
  };
}
