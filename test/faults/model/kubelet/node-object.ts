import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";

/** Makes a node that pods can be bound to. Admission taints it until a controller has checked it: that is us. */
export async function registerNode(client: KubeClient, name: string, signal: AbortSignal): Promise<void> {
  try {
    const labels = { "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "topology.kubernetes.io/zone": name };
    await client.create(resources.nodes, { metadata: { name, labels } }, { signal });
    const size = { cpu: "64", memory: "256Gi", pods: "250" };
    const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady" }];
    const status = { conditions, capacity: size, allocatable: size };
    await client.patchStatus(resources.nodes, { name }, { merge: { status } }, { signal });
    await client.patch(resources.nodes, { name }, { merge: { spec: { taints: null } } }, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
