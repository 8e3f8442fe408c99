import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { customResourceDefinition, type Kind, kinds } from "@etcd-operator/operator";

/** Brings the CRDs of this build to a local mode, whatever was there before. */
export async function applyCrds(client: KubeClient): Promise<void> {
  for (const kind of Object.values<Kind>(kinds)) {
    const definition = customResourceDefinition(kind);
    try {
      await client.create(resources.customResourceDefinitions, definition);
    } catch (error) {
      if (!hasCode(error, "already-exists")) throw error;
      const ref = { name: definition.metadata?.name ?? "" };
      await client.patch(resources.customResourceDefinitions, ref, { merge: definition });
    }
  }
}
