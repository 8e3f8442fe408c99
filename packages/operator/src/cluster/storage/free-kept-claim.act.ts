import { hasCode } from "@etcd-operator/kubernetes-client";
import { type Postponed, postponed } from "../act/postponed.ts";
import type { Work } from "../act/work.ts";
import { nameOf } from "../model/members.ts";
import type { ClaimSeen } from "../model/observation.ts";
import { idOf } from "../model/situation.ts";
import { isKept } from "../restore/restoring.rule.ts";
import { deleteClaims } from "./delete-claims.act.ts";

/**
 * The claim of a member that was replaced is kept until its successor votes. Where a quota has no room for the
 * successor's beside it, and every voter serves, it is deleted before; undefined when that is not what a failure is
 * about, or there is none to delete.
 */
export async function freeKeptClaim(work: Work, failure: unknown): Promise<Postponed | undefined> {
  if (!hasCode(failure, "forbidden") || !/exceeded quota/.test(failure.message)) return undefined;
  const { claims, cluster } = work.seen;
  if (cluster.spec.persistentVolumeClaimRetentionPolicy.whenScaled === "Retain") return undefined;
  // Before a cluster is on record none of its members has been replaced.
  if (!cluster.status?.clusterID) return undefined;
  const list = await work.etcd.membersAndVoters();
  // The quota is what the status has to name.
  if (list.kind === "postponed" || !list.voters.every(({ isUp }) => isUp)) return undefined;
  const isMembers = (name: string, id: string) =>
    list.members.some((member) => member.id === id || nameOf(member) === name);
  const isSpare = (claim: ClaimSeen) =>
    claim.memberId !== undefined && !claim.isTerminating && !isMembers(claim.name, claim.memberId);
  const kept = claims.find((claim) => isSpare(claim) && !isKept(claim, cluster.status ?? {}));
  if (!kept) return undefined;
  const outcome = await deleteClaims(work, [idOf(kept)]);
  if (outcome.kind === "postponed") return outcome;
  return postponed(`deleted PVC ${kept.name} of a replaced member to make room for its successor's`, 1_000);
}
