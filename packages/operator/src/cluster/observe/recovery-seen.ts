import { KubernetesError } from "@etcd-operator/kubernetes-client";
import type { Observation, RecoverySeen } from "../model/observation.ts";
import { situationOf } from "../model/situation.ts";
import { recoveryName } from "../objects/recovery-restore.ts";
import { provablyLost } from "../restore/provable-loss.rule.ts";
import type { Source } from "./kubernetes-source.ts";

/**
 * What a restore by policy would need; undefined unless the data of a majority is gone, and the user wants it restored.
 */
export async function recoverySeen(
  seen: Observation,
  source: Pick<Source, "backup" | "restore">,
): Promise<RecoverySeen | undefined> {
  const { onQuorumLoss, backupName } = seen.cluster.spec.recovery ?? {};
  if (onQuorumLoss !== "RestoreLatestBackup" || !backupName) return undefined;
  const now = situationOf(seen);
  if (provablyLost(now).length === 0) return undefined;
  const restoreName = recoveryName(seen.cluster);
  try {
    const [backup, restore] = await Promise.all([source.backup(backupName), source.restore(restoreName)]);
    return { backupName, backup, restoreName, restore };
  } catch (error) {
    // Members are looked after all the same.
    if (!(error instanceof KubernetesError) || error.code === "canceled") throw error;
    return { backupName, backup: undefined, restoreName, restore: undefined, why: error.message };
  }
}
