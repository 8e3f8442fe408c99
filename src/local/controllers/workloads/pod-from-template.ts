import type { Pod, PodTemplateSpec } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../../../kubernetes/kube-object.ts";
import { controllerReference } from "./ownership.ts";

/** A pod of a template, under a name that the API server completes. */
export function podFromTemplate(
  template: PodTemplateSpec,
  owner: Stored,
  generateName = `${owner.metadata.name}-`,
): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    metadata: {
      namespace: owner.metadata.namespace ?? "",
      generateName,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    ...(template.spec && { spec: template.spec }),
  };
}
