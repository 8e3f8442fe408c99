import { hasCode, keyOf, resources } from "@etcd-operator/kubernetes-client";
import type { ControllerContext } from "../controller-context.ts";
import { claimsOf } from "../pod-facts.ts";
import { WorkQueue } from "../work-queue.ts";
import { nodeBoundClass, standardClass } from "./objects.ts";
import { reconcileClaim } from "./reconcile-claim.ts";
import { reconcileVolume } from "./reconcile-volume.ts";
import { machineFolders, type VolumeFolders } from "./volume-folders.ts";

/** Gives claims volumes that are folders, and takes them back. */
export function startStorage(context: ControllerContext, folders: VolumeFolders = machineFolders): void {
  const { client, informers, signal, log } = context;
  const claims = new WorkQueue({ name: "claims", signal, log, work: (key) => reconcileClaim(context, folders, key) });
  const volumes = new WorkQueue({
    name: "volumes",
    signal,
    log,
    work: (key) => reconcileVolume(context, folders, key),
  });
  const classes = new WorkQueue({
    name: "storage classes",
    signal,
    log,
    work: async () => {
      for (const each of [standardClass, nodeBoundClass])
        await client.create(resources.storageClasses, each, { signal }).catch(ignoreExisting);
      return undefined;
    },
  });
  const waitingClaims = () => {
    for (const claim of informers.persistentVolumeClaims.cache.list()) {
      if (claim.status?.phase !== "Bound") claims.add(keyOf(claim.metadata));
    }
  };

  classes.add(standardClass.metadata?.name ?? "");
  informers.storageClasses.onChange(waitingClaims);
  informers.persistentVolumeClaims.onChange((change) => {
    if (change.type === "synced") return;
    claims.add(keyOf(change.object.metadata));
    if (change.object.spec?.volumeName) volumes.add(change.object.spec.volumeName);
    // One that is deleted while its volume is made never learns the name of it.
    if (change.type !== "deleted") return;
    for (const { metadata, spec } of informers.persistentVolumes.cache.list())
      if (spec?.claimRef?.uid === change.object.metadata.uid) volumes.add(metadata.name);
  });
  informers.persistentVolumes.onChange((change) => {
    if (change.type === "synced") return;
    volumes.add(change.object.metadata.name);
    const { namespace, name } = change.object.spec?.claimRef ?? {};
    if (name !== undefined) claims.add(keyOf({ namespace, name }));
    else waitingClaims();
  });
  informers.pods.onChange((change) => {
    // The last pod that used a claim lets go of it.
    if (change.type === "added" || change.type === "synced") return;
    const { namespace } = change.object.metadata;
    for (const name of claimsOf(change.object)) claims.add(keyOf({ namespace, name }));
  });
}

function ignoreExisting(error: unknown): void {
  if (!hasCode(error, "already-exists")) throw error;
}
