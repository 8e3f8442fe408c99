import type { Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { decideVolume } from "./decide-volume.ts";
import { volumeFolder } from "./objects.ts";
import { VOLUME_PROTECTION } from "./storage-names.ts";
import type { VolumeFolders } from "./volume-folders.ts";

type Volume = Stored<PersistentVolume>;

/** Takes the next step for a volume. */
export async function reconcileVolume(
  context: ControllerContext,
  folders: VolumeFolders,
  name: string,
): Promise<undefined> {
  const { client, informers, signal } = context;
  const { persistentVolumeClaims, persistentVolumes } = informers;
  await Promise.all([persistentVolumeClaims, persistentVolumes].map(({ cache }) => cache.waitForSync(signal)));
  const volume = persistentVolumes.cache.get({ name });
  if (!volume) return undefined;
  const action = decideVolume(volume, await claimOf(context, volume));
  const finalizers = volume.metadata.finalizers ?? [];
  switch (action.kind) {
    case "none":
      return undefined;
    case "protect":
      return setFinalizers(context, volume, [...finalizers, VOLUME_PROTECTION]);
    case "unprotect":
      return setFinalizers(
        context,
        volume,
        finalizers.filter((it) => it !== VOLUME_PROTECTION),
      );
    case "set-phase": {
      const merge = { metadata: versionOf(volume), status: { phase: action.phase } };
      await client.patchStatus(resources.persistentVolumes, { name }, { merge }, { signal });
      return undefined;
    }
    case "reclaim":
      return reclaim(context, folders, volume);
  }
}

/** The claim that a volume names. That there is none is believed only from the API server itself: data hangs on it. */
async function claimOf(
  context: ControllerContext,
  { spec }: Volume,
): Promise<Stored<PersistentVolumeClaim> | undefined> {
  const { client, informers, signal } = context;
  const { namespace, name, uid } = spec?.claimRef ?? {};
  if (name === undefined || uid === undefined) return undefined;
  const ref = { namespace, name };
  const cached = informers.persistentVolumeClaims.cache.get(ref);
  if (cached?.metadata.uid === uid) return cached;
  return client.get(resources.persistentVolumeClaims, ref, { signal }).catch((error: unknown) => {
    if (hasCode(error, "not-found")) return undefined;
    throw error;
  });
}

async function setFinalizers(context: ControllerContext, volume: Volume, finalizers: string[]): Promise<undefined> {
  const merge = { metadata: { finalizers, ...versionOf(volume) } };
  await context.client.patch(resources.persistentVolumes, volume.metadata, { merge }, { signal: context.signal });
  return undefined;
}

async function reclaim(
  { client, config, signal }: ControllerContext,
  folders: VolumeFolders,
  volume: Volume,
): Promise<undefined> {
  const { name, uid, resourceVersion } = volume.metadata;
  await folders.remove(volumeFolder(config, name));
  const preconditions = { uid, resourceVersion };
  await client.delete(resources.persistentVolumes, { name }, { preconditions, signal });
  return undefined;
}

function versionOf({ metadata: { uid, resourceVersion } }: Volume): { uid: string; resourceVersion: string } {
  return { uid, resourceVersion };
}
