import { customResourceDefinition } from "../api/crd/custom-resource-definition.ts";
import { type Kind, kinds } from "../api/kinds.ts";
import { hasCode } from "../kubernetes/kubernetes-error.ts";
import { resources } from "../kubernetes/resources.ts";
import type { KubeClient } from "../kubernetes/rest-client.ts";

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
