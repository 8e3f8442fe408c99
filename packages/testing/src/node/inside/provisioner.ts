import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { hasCode, type KubeClient, resources, type Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";

const PROVISIONER = "etcd-operator.test/folder";
const EVERY_MS = 300;

/**
 * The default class: volumes of the kind "local", for these honour fsGroup, and the ones on paths of the host do not.
 */
export const storageClass = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: { name: "standard", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
  provisioner: PROVISIONER,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
};

/** Gives each claim a folder on the node that the scheduler chose, and removes it with the volume. */
export function startProvisioner(client: KubeClient, folder: string, log: (line: string) => void): void {
  const round = async () => {
    try {
      await serve(client, folder);
    } catch (error) {
      log(`provisioner: ${String(error)}`);
    }
    setTimeout(() => void round(), EVERY_MS);
  };
  void round();
}

async function serve(client: KubeClient, folder: string): Promise<void> {
  const { items: claims } = await client.list(resources.persistentVolumeClaims);
  for (const claim of claims) {
    const node = claim.metadata.annotations?.["volume.kubernetes.io/selected-node"];
    if (node && !claim.spec?.volumeName) await provide(client, folder, claim, node);
  }
  const { items: volumes } = await client.list(resources.persistentVolumes);
  for (const volume of volumes) {
    if (isOurs(volume) && volume.status?.phase === "Released") await remove(client, volume);
  }
}

async function provide(
  client: KubeClient,
  folder: string,
  { metadata, spec }: Stored<PersistentVolumeClaim>,
  node: string,
): Promise<void> {
  const { name, namespace, uid } = metadata;
  const path = join(folder, metadata.uid);
  await mkdir(path, { recursive: true });
  const values = { key: "kubernetes.io/hostname", operator: "In", values: [node] };
  const volume: PersistentVolume = {
    metadata: { name: `pvc-${uid}`, annotations: { "pv.kubernetes.io/provisioned-by": PROVISIONER } },
    spec: {
      local: { path },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [values] }] } },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name, ...(namespace && { namespace }), uid },
      capacity: spec?.resources?.requests ?? {},
      accessModes: spec?.accessModes ?? [],
      persistentVolumeReclaimPolicy: "Delete",
      ...(spec?.storageClassName && { storageClassName: spec.storageClassName }),
    },
  };
  await client.create(resources.persistentVolumes, volume).catch((error: unknown) => {
    if (!hasCode(error, "already-exists")) throw error;
  });
}

async function remove(client: KubeClient, { metadata, spec }: Stored<PersistentVolume>): Promise<void> {
  if (spec?.local) await rm(spec.local.path, { recursive: true, force: true });
  await client.delete(resources.persistentVolumes, { name: metadata.name });
}

function isOurs({ metadata, spec }: Stored<PersistentVolume>): boolean {
  const isDeleted = spec?.persistentVolumeReclaimPolicy === "Delete";
  return isDeleted && metadata.annotations?.["pv.kubernetes.io/provisioned-by"] === PROVISIONER;
}
