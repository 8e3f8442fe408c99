import { join } from "node:path";
import type { Stored } from "@etcd-operator/kubernetes-client";
import type { PersistentVolume, PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import type { StorageClass } from "kubernetes-types/storage/v1.d.ts";
import type { LocalConfig } from "../../config.ts";
import { SELECTED_NODE } from "../scheduling/claims.ts";
import {
  DEFAULT_CLASS,
  IS_DEFAULT_CLASS,
  NODE_BOUND,
  NODE_BOUND_CLASS,
  PROVISIONED_BY,
  PROVISIONER,
  VOLUME_PROTECTION,
} from "./storage-names.ts";

/** The class that claims get which name none. */
export const standardClass: StorageClass = {
  metadata: { name: DEFAULT_CLASS, annotations: { [IS_DEFAULT_CLASS]: "true" } },
  provisioner: PROVISIONER,
  reclaimPolicy: "Delete",
  allowVolumeExpansion: true,
  volumeBindingMode: "WaitForFirstConsumer",
};

/**
 * Volumes of the default class follow their pod to any node, as those of a cloud do; those of this one stay where they
 * were made, as disks of a machine do.
 */
export const nodeBoundClass: StorageClass = {
  metadata: { name: NODE_BOUND_CLASS },
  provisioner: PROVISIONER,
  parameters: { [NODE_BOUND]: "true" },
  reclaimPolicy: "Delete",
  allowVolumeExpansion: true,
  volumeBindingMode: "WaitForFirstConsumer",
};

/**
 * Where the data of a volume lies: always from its name, never from what the object says, since it is removed one day.
 */
export function volumeFolder({ stateDir }: Pick<LocalConfig, "stateDir">, volumeName: string): string {
  return join(stateDir, "volumes", volumeName);
}

/** The volume to make for a claim. */
export function volumeFor(
  claim: Stored<PersistentVolumeClaim>,
  storageClass: Stored<StorageClass>,
  config: Pick<LocalConfig, "stateDir" | "nodes">,
): PersistentVolume {
  const name = `pvc-${claim.metadata.uid}`;
  const node = claim.metadata.annotations?.[SELECTED_NODE] ?? config.nodes[0]?.nodeName ?? "";
  const hostname = { key: "kubernetes.io/hostname", operator: "In", values: [node] };
  const isNodeBound = storageClass.parameters?.[NODE_BOUND] === "true";
  return {
    metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER }, finalizers: [VOLUME_PROTECTION] },
    spec: {
      accessModes: claim.spec?.accessModes ?? ["ReadWriteOnce"],
      capacity: { storage: claim.spec?.resources?.requests?.storage ?? "1Gi" },
      claimRef: claimRef(claim),
      hostPath: { path: volumeFolder(config, name), type: "DirectoryOrCreate" },
      ...(isNodeBound && { nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } } }),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name,
      volumeMode: claim.spec?.volumeMode ?? "Filesystem",
    },
  };
}

export function claimRef({
  metadata: { name, namespace = "", uid, resourceVersion },
}: Stored<PersistentVolumeClaim>): NonNullable<NonNullable<PersistentVolume["spec"]>["claimRef"]> {
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", name, namespace, uid, resourceVersion };
}
