import type { AmnesiaPlan } from "./plan.ts";

/** The names of all that there is of a cluster. */
export interface Belongings {
  readonly members: readonly string[];
  readonly pods: readonly string[];
  readonly claims: readonly string[];
}

type Wanted = Pick<AmnesiaPlan, "claims"> & { readonly expect: Pick<AmnesiaPlan["expect"], "claimsLeft"> };

/**
 * What does not fit together: pods and claims without a member, members without a claim, and claims that should have
 * stayed.
 */
export function unevenly({ members, pods, claims }: Belongings, { claims: haveClaims, expect }: Wanted) {
  const { claimsLeft = 0 } = expect;
  const ofNoMember = (names: readonly string[]) => names.filter((name) => !members.includes(name));
  const left = ofNoMember(claims);
  return [
    ...ofNoMember(pods).map((name) => `pod ${name} is left`),
    ...(left.length > claimsLeft ? left.map((name) => `claim ${name} is left`) : []),
    ...(left.length < claimsLeft
      ? [`${left.length} of ${claimsLeft} claims have stayed that must not be deleted`]
      : []),
    ...(haveClaims && claims.length - left.length < members.length ? ["a member has no claim"] : []),
  ];
}
