import type { EtcdBackup } from "../api/etcd-backup.ts";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import { provablyLost } from "./provable-loss.ts";
import type { Situation } from "./situation.ts";

/** How it stands with what the user wants to happen when a majority has lost its data. */
export type Recovery =
  /** A human decides. */
  | { readonly kind: "manual" }
  | { readonly kind: "waiting"; readonly untilMs: number; readonly backupName: string }
  | { readonly kind: "due"; readonly backup: EtcdBackup }
  | { readonly kind: "asked"; readonly restore: EtcdRestore }
  | { readonly kind: "impossible"; readonly why: string };

/** Undefined while the data of a majority is not provably gone. */
export function recoveryOf(now: Situation): Recovery | undefined {
  const { seen, spec, status } = now;
  if (provablyLost(now).length === 0) return undefined;
  const { onQuorumLoss, graceSeconds, backupName } = spec.recovery;
  if (onQuorumLoss !== "RestoreLatestBackup" || !backupName) return { kind: "manual" };
  const { recovery } = seen;
  // Found out in the very pass that saw it; the next one has looked.
  if (!recovery) return { kind: "waiting", untilMs: seen.nowMs + graceSeconds * 1000, backupName };
  if (recovery.restore) return askedOr(recovery.restore, now);
  const { backup, why } = recovery;
  const obstacle = why ?? (backup ? whyUnfit(backup, now) : `there is no EtcdBackup '${backupName}'`);
  if (!backup || obstacle) return { kind: "impossible", why: obstacle ?? "" };
  const noted = Date.parse(status.majorityLostSince ?? "");
  const isNoted = !Number.isNaN(noted);
  const untilMs = (isNoted ? noted : seen.nowMs) + graceSeconds * 1000;
  return isNoted && untilMs <= seen.nowMs ? { kind: "due", backup } : { kind: "waiting", untilMs, backupName };
}

function askedOr(restore: EtcdRestore, { seen }: Situation): Recovery {
  const owners = (restore.metadata.ownerReferences ?? []) as readonly { readonly uid?: string }[];
  if (owners.some(({ uid }) => uid === seen.cluster.metadata.uid)) return { kind: "asked", restore };
  return {
    kind: "impossible",
    why: `EtcdRestore '${restore.metadata.name}' is there, and was not made for this cluster`,
  };
}

function whyUnfit({ metadata, spec, status }: EtcdBackup, { seen }: Situation): string | undefined {
  const { name } = seen.cluster.metadata;
  if (spec.etcdCluster && spec.etcdCluster.name !== name) {
    return `EtcdBackup '${metadata.name}' is of the cluster '${spec.etcdCluster.name}'`;
  }
  const isSomebodyLeft = seen.pods.some(({ answer }) => answer.status);
  return status?.lastBackup || isSomebodyLeft
    ? undefined
    : `EtcdBackup '${metadata.name}' has no verified backup, and no member answers that could be restored from`;
}
