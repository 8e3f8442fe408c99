import type { PodSeen } from "../model/observation.ts";
import { listOf, type Situation } from "../model/situation.ts";
import { undecidedRestore } from "../restore/restoring.rule.ts";

/** What pods without an owner are good for. */
export type Orphans =
  /** The members of one cluster, which works. */
  { readonly kind: "cluster"; readonly clusterId: string } | { readonly kind: "unfit"; readonly why: string };

/**
 * Whether pods without an owner are one healthy cluster: each is the member that is written on it, and a majority
 * answers.
 */
export function judgeOrphans(orphans: readonly PodSeen[], now: Situation): Orphans {
  const why = whyLeftAlone(orphans, now) ?? whyNotOne(orphans) ?? whyNotHealthy(orphans, now);
  if (why !== undefined) return { kind: "unfit", why };
  return { kind: "cluster", clusterId: idsOf(orphans)[0] ?? "" };
}

function whyLeftAlone(orphans: readonly PodSeen[], { status, spec }: Situation): string | undefined {
  if (undecidedRestore(status)) return "a restore replaces them";
  const policy = spec.bootstrap.onExistingVolumes;
  if (policy !== "Reattach") return `spec.bootstrap.onExistingVolumes is '${policy}'`;
  return orphans.some(({ isTerminating }) => isTerminating) ? "some of them are being deleted" : undefined;
}

function whyNotOne(orphans: readonly PodSeen[]): string | undefined {
  const ids = idsOf(orphans);
  if (ids.length > 1) return `they belong to different etcd clusters (${listOf(ids)})`;
  const other = orphans.find(({ memberId, answer: { status, otherMemberId } }) => {
    return otherMemberId !== undefined || (status && memberId !== undefined && status.memberId !== memberId);
  });
  return other && `another member than the recorded one responds from pod ${other.name}`;
}

function whyNotHealthy(orphans: readonly PodSeen[], { isConfirmed, voters }: Situation): string | undefined {
  const answering = orphans.filter(({ answer }) => answer.health === "healthy");
  const ids = new Set(voters.map(({ etcd }) => etcd.id));
  const isAmong = answering.some(({ answer }) => ids.has(answer.status?.memberId ?? ""));
  return isConfirmed && isAmong ? undefined : "no majority of them responds";
}

/** As is written on them, and as they answer. */
function idsOf(orphans: readonly PodSeen[]): readonly string[] {
  const ids = orphans.flatMap(({ clusterId, answer }) => [clusterId, answer.status?.clusterId, answer.otherClusterId]);
  return [...new Set(ids.filter((id) => id !== undefined))];
}
