import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { Action } from "@etcd-operator/operator/cluster/model/action.ts";
import { hasAllSaved, isSetAside } from "@etcd-operator/operator/cluster/restore/restoring.rule.ts";
import type { World } from "./world.ts";

/** What is in no store from now on, or is what there is again. */
export function noteUnsaved(world: World, action: Action, { restore }: EtcdClusterStatus): void {
  const { claims, unsaved } = world;
  if (action.kind === "note-saved" && action.allSaved) breakUnlessSaved(world, restore);
  const isBeginning = action.kind === "begin-restore" && restore?.state === "Fencing" && !restore.saved;
  const isPastFencing = restore?.state === "Restoring" || restore?.state === "Joining";
  const isUnsaved = isBeginning || (restore !== undefined && isPastFencing && !hasAllSaved(restore));
  if (isUnsaved && restore) {
    const former = [...claims.values()].filter((claim) => isSetAside(claim, { restore }));
    for (const { uid } of former) if (!unsaved.has(uid)) unsaved.set(uid, restore.uid);
  }
  if (action.kind !== "turn-restore" || action.to !== "RolledBack") return;
  for (const [uid, restoreUid] of unsaved) if (restoreUid === restore?.uid) unsaved.delete(uid);
}

function breakUnlessSaved({ etcds, broken }: World, restore: EtcdClusterStatus["restore"]): void {
  const { acknowledged = 0 } = etcds.get(restore?.savedClusterID ?? "") ?? {};
  if (acknowledged <= (restore?.savedRevision ?? -1)) return;
  broken.push(
    `all is said to be saved up to ${restore?.savedRevision}, but a client was told that ${acknowledged} is safe`,
  );
}
