import { isClusterWide } from "../api/scope.ts";
import type { Scope } from "../context/controller-context.ts";

/**
 * Which objects are an operator's: with --cluster-wide those that ask for it, in every namespace; without it those of
 * its own namespace that do not. So no object is both a cluster-wide operator's and a namespace's.
 */
export function scopeOf({ clusterWide, namespace }: { clusterWide: boolean; namespace: string }): Scope {
  if (clusterWide) {
    return {
      kind: "clusterwide",
      namespace: undefined,
      home: namespace,
      covers: isClusterWide,
    };
  }
  return {
    kind: "namespaced",
    namespace,
    home: namespace,
    covers: (object) => object.metadata.namespace === namespace && !isClusterWide(object),
  };
}
