import { join } from "node:path";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";

const annotations = { "storageclass.kubernetes.io/is-default-class": "true" };

/** Lays out volumes for the binder of kube-controller-manager, in the class that claims get which name none. */
export async function createVolumes(client: KubeClient, directory: string, count: number): Promise<void> {
  const storageClassName = "standard";
  await client.create(resources.storageClasses, {
    metadata: { name: storageClassName, annotations },
    provisioner: "kubernetes.io/no-provisioner",
    // Not when a pod comes: volumes that are there already are then bound by the scheduler, and ours leaves that to
    // others.
    volumeBindingMode: "Immediate",
  });
  for (let number = 1; number <= count; number += 1) {
    const name = `volume-${number}`;
    await client.create(resources.persistentVolumes, {
      metadata: { name },
      spec: {
        accessModes: ["ReadWriteOnce"],
        capacity: { storage: "1Gi" },
        hostPath: { path: join(directory, "volumes", name), type: "DirectoryOrCreate" },
        persistentVolumeReclaimPolicy: "Retain",
        storageClassName,
      },
    });
  }
}
