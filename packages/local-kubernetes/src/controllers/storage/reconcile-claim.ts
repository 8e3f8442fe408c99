import { hasCode, refOf, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { StorageClass } from "kubernetes-types/storage/v1.d.ts";
import type { ControllerContext } from "../controller-context.ts";
import { claimsOf, isFinished } from "../pod-facts.ts";
import { type ClaimAction, decideClaim } from "./decide-claim.ts";
import { claimRef, volumeFolder, volumeFor } from "./objects.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, CLAIM_PROTECTION } from "./storage-names.ts";
import type { VolumeFolders } from "./volume-folders.ts";

type Claim = Stored<PersistentVolumeClaim>;
type Volume = Stored<PersistentVolume>;

/** Takes the next step for a claim; what it changes comes back as an event, for the step after. */
export async function reconcileClaim(
  context: ControllerContext,
  folders: VolumeFolders,
  key: string,
): Promise<undefined> {
  const { informers, signal } = context;
  const { persistentVolumeClaims, persistentVolumes, storageClasses, pods } = informers;
  const caches = [persistentVolumeClaims, persistentVolumes, storageClasses, pods];
  await Promise.all(caches.map(({ cache }) => cache.waitForSync(signal)));
  const claim = persistentVolumeClaims.cache.get(refOf(key));
  if (!claim) return undefined;
  const action = decideClaim({
    claim,
    volumes: persistentVolumes.cache.list(),
    classes: storageClasses.cache.list(),
    isInUse: isInUse(context, claim),
  });
  await act(context, folders, claim, action);
  return undefined;
}

function isInUse({ informers }: ControllerContext, { metadata }: Claim): boolean {
  return informers.pods.cache
    .list(metadata.namespace)
    .some((pod) => !isFinished(pod) && claimsOf(pod).includes(metadata.name));
}

async function act(
  context: ControllerContext,
  folders: VolumeFolders,
  claim: Claim,
  action: ClaimAction,
): Promise<void> {
  const { client, events, signal } = context;
  const patch = (merge: { metadata?: object; spec?: object }) => {
    const { resourceVersion } = claim.metadata;
    const body = { ...merge, metadata: { ...merge.metadata, resourceVersion } };
    return client.patch(resources.persistentVolumeClaims, claim.metadata, { merge: body }, { signal });
  };
  switch (action.kind) {
    case "none":
      return;
    case "protect":
      await patch({ metadata: { finalizers: [...(claim.metadata.finalizers ?? []), CLAIM_PROTECTION] } });
      return;
    case "unprotect":
      await patch({ metadata: { finalizers: claim.metadata.finalizers?.filter((it) => it !== CLAIM_PROTECTION) } });
      return;
    case "set-class":
      await patch({ spec: { storageClassName: action.name } });
      return;
    case "lose":
      await setStatus(context, claim, { phase: "Lost" });
      events.record(claim, {
        type: "Warning",
        reason: "ClaimLost",
        message: "Bound claim has lost its PersistentVolume",
      });
      return;
    case "wait":
      events.record(claim, { type: "Normal", reason: action.reason, message: action.message });
      return;
    case "provision":
      await bind(context, claim, await provision(context, folders, claim, action.storageClass));
      return;
    case "bind":
      await bind(context, claim, action.volume);
      return;
    case "expand":
      await expand(context, claim, action.volume, action.storage);
  }
}

async function provision(
  context: ControllerContext,
  folders: VolumeFolders,
  claim: Claim,
  storageClass: Stored<StorageClass>,
): Promise<Volume> {
  const { client, config, events, signal } = context;
  const wanted = volumeFor(claim, storageClass, config);
  const name = wanted.metadata?.name ?? "";
  await folders.make(volumeFolder(config, name));
  const volume = await client.create(resources.persistentVolumes, wanted, { signal }).catch((error: unknown) => {
    if (hasCode(error, "already-exists")) return client.get(resources.persistentVolumes, { name }, { signal });
    throw error;
  });
  const message = `Successfully provisioned volume ${name}`;
  events.record(claim, { type: "Normal", reason: "ProvisioningSucceeded", message });
  return volume;
}

/** In the order of a real binder, so that clients see the same intermediate states. */
async function bind(context: ControllerContext, claim: Claim, volume: Volume): Promise<void> {
  const { client, signal } = context;
  if (volume.spec?.claimRef?.uid === undefined) {
    const annotations = volume.spec?.claimRef ? {} : { [BOUND_BY_CONTROLLER]: "yes" };
    const metadata = { annotations, resourceVersion: volume.metadata.resourceVersion };
    const merge = { metadata, spec: { claimRef: claimRef(claim) } };
    await client.patch(resources.persistentVolumes, volume.metadata, { merge }, { signal });
  }
  if (volume.status?.phase !== "Bound") {
    const merge = { status: { phase: "Bound" } };
    await client.patchStatus(resources.persistentVolumes, volume.metadata, { merge }, { signal });
  }
  const annotations = {
    [BIND_COMPLETED]: "yes",
    ...(!claim.spec?.volumeName && { [BOUND_BY_CONTROLLER]: "yes" }),
  };
  const { uid, resourceVersion } = claim.metadata;
  const merge = { metadata: { annotations, uid, resourceVersion }, spec: { volumeName: volume.metadata.name } };
  const bound = await client.patch(resources.persistentVolumeClaims, claim.metadata, { merge }, { signal });
  const { accessModes = [], capacity = {} } = volume.spec ?? {};
  await setStatus(context, bound, { phase: "Bound", accessModes, capacity });
}

async function expand(context: ControllerContext, claim: Claim, volume: Volume, storage: string): Promise<void> {
  const { client, events, signal } = context;
  const merge = { spec: { capacity: { storage } } };
  await client.patch(resources.persistentVolumes, volume.metadata, { merge }, { signal });
  await setStatus(context, claim, { capacity: { storage } });
  events.record(claim, { type: "Normal", reason: "VolumeResizeSuccessful", message: "Resize volume succeeded" });
}

async function setStatus({ client, signal }: ControllerContext, { metadata }: Claim, status: object): Promise<void> {
  const merge = { metadata: { resourceVersion: metadata.resourceVersion }, status };
  await client.patchStatus(resources.persistentVolumeClaims, metadata, { merge }, { signal });
}
