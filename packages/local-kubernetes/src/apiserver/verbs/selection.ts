import type { Resource } from "../kinds/resource.ts";
import type { KubeObject } from "../kube-object.ts";
import { type FieldSelector, parseFieldSelector } from "../meta/field-selector.ts";
import { parseLabelSelector } from "../meta/parse-label-selector.ts";

/** Which objects of a resource a list, watch or collection is about. */
export interface Selection {
  readonly resource: Resource;
  /** Where their keys begin. */
  readonly prefix: string;
  /** Absent: every one under the prefix, so that none has to be decoded. */
  readonly matches?: (object: KubeObject) => boolean;
}

export function selectionOf(resource: Resource, namespace: string | undefined, query: URLSearchParams): Selection {
  const labels = query.get("labelSelector")?.trim();
  const fields = query.get("fieldSelector");
  const byLabels = labels ? parseLabelSelector(labels) : undefined;
  const byFields = fields ? parseFieldSelector(fields, resource) : undefined;
  const prefix = namespace ? `${resource.prefix}${namespace}/` : resource.prefix;
  if (!byLabels && !byFields) return { resource, prefix };
  return {
    resource,
    prefix: narrowed(prefix, resource, namespace, byFields),
    matches: (object) => (byLabels?.(object.metadata.labels ?? {}) ?? true) && (byFields?.matches(object) ?? true),
  };
}

// A name is enough to know where the object lies; others that begin the same are left to the selector.
function narrowed(
  prefix: string,
  { namespaced }: Resource,
  namespace: string | undefined,
  fields?: FieldSelector,
): string {
  const within = namespaced && !namespace && fields?.namespace ? `${prefix}${fields.namespace}/` : prefix;
  const isOneNamespace = !namespaced || within !== prefix || namespace !== undefined;
  return fields?.name && isOneNamespace ? `${within}${fields.name}` : within;
}
