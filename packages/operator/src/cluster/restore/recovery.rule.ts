import { currentBackup } from "../../api/backup/backup-place.ts";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import { LASTING, lastedMs } from "../model/lasting.ts";
import { listOf, type Rule, type Situation } from "../model/situation.ts";
import { isOf, recoveryRestore, verifiedBackup } from "../objects/recovery-restore.ts";
import { provablyLost, silentVoters } from "./provable-loss.rule.ts";
import { activeRestore } from "./restoring.rule.ts";

/** The state of the configured recovery when a majority has lost its data. */
export type Recovery =
  /** A person decides. */
  | { readonly kind: "manual" }
  | { readonly kind: "waiting"; readonly untilMs: number; readonly leftMs: number; readonly backupName: string }
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
  if (recovery?.restore) return askedOr(recovery.restore, now);
  if (recovery?.why !== undefined) return { kind: "impossible", why: recovery.why };
  const over = whyOver(now);
  if (over) return { kind: "impossible", why: over };
  // Found out in the very reconcile that observed it; the next one has checked.
  const graceMs = graceSeconds * 1000;
  if (!recovery) return { kind: "waiting", untilMs: seen.nowMs + graceMs, leftMs: graceMs, backupName };
  const { backup } = recovery;
  const obstacle = backup ? whyUnfit(backup, now) : `EtcdBackup '${backupName}' does not exist`;
  if (!backup || obstacle) return { kind: "impossible", why: obstacle ?? "" };
  const noted = Date.parse(status.majorityLostSince ?? "");
  const isNoted = noted <= seen.nowMs;
  const sinceMs = isNoted ? noted : seen.nowMs;
  // The note may be of a clock that was behind: this process waits as long itself.
  const leftMs = graceMs - lastedMs(seen, LASTING.majorityLost, sinceMs);
  if (isNoted && leftMs <= 0) return { kind: "due", backup };
  return { kind: "waiting", untilMs: sinceMs + graceMs, leftMs, backupName };
}

function askedOr(restore: EtcdRestore, { seen }: Situation): Recovery {
  const owners = (restore.metadata.ownerReferences ?? []) as readonly { readonly uid?: string }[];
  if (owners.some(({ uid }) => uid === seen.cluster.metadata.uid)) return { kind: "asked", restore };
  return {
    kind: "impossible",
    why: `EtcdRestore '${restore.metadata.name}' exists and was not created for this cluster`,
  };
}

/** Why none is asked for, whatever there is to restore. */
function whyOver(now: Situation): string | undefined {
  const { seen, status } = now;
  const active = activeRestore(status);
  if (active) return `it was lost while EtcdRestore '${active.name}' restored it: restore manually`;
  if (seen.recovery && status.recoveryIncarnation === (status.incarnation ?? 0)) {
    return `EtcdRestore '${seen.recovery.restoreName}' was created for it and has been deleted, and will not be created again: restore manually`;
  }
  const silent = silentVoters(now);
  return silent.length > 0 ? `${listOf(silent)} may have newer data: bring it back, or restore manually` : undefined;
}

function whyUnfit(backup: EtcdBackup, { seen }: Situation): string | undefined {
  const { metadata, spec, status } = backup;
  const { name } = seen.cluster.metadata;
  if (spec.etcdCluster && spec.etcdCluster.name !== name) {
    return `EtcdBackup '${metadata.name}' is for the cluster '${spec.etcdCluster.name}'`;
  }
  if (verifiedBackup(seen.cluster, backup)) return undefined;
  const { lastBackup: last } = status ?? {};
  const lacking =
    last && !currentBackup(backup)
      ? `EtcdBackup '${metadata.name}' was edited, and has no verified backup in its new location`
      : `EtcdBackup '${metadata.name}' has no verified backup of this cluster`;
  // Its own path would be named in the restore. That of a backup from before an edit counts, too: most edits leave it
  // where it lies.
  const stores = [spec.s3, spec.abs, spec.gcs, spec.oss, spec.volume];
  const isInTheWay = stores.some((store) => store && store.path === last?.path) && !isOf(seen.cluster.status, last);
  if (isInTheWay)
    return `${lacking}, only one of ${last?.clusterID === undefined ? "an unknown etcd cluster" : `etcd cluster ${last.clusterID}`}`;
  return seen.pods.some(({ answer }) => answer.status)
    ? undefined
    : `${lacking}, and no member that could be restored from responds`;
}

/**
 * Restores by itself where the user has asked for it, once: what is restored may lack what was written since the
 * backup.
 */
export const recoverFromBackup: Rule = (now) => {
  const recovery = recoveryOf(now);
  if (recovery?.kind !== "due") return undefined;
  const lost = provablyLost(now);
  const restore = recoveryRestore(now.seen.cluster, recovery.backup);
  const message = `The data of ${listOf(lost)} is lost, and with it quorum: creating EtcdRestore ${restore.metadata.name}, as configured in spec.recovery`;
  return { kind: "create-restore", restore, lost, reason: "RecoveryStarted", message };
};
