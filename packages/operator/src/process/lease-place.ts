import type { Scope } from "../context/controller-context.ts";

/** There in every cluster, and nobody can delete it. */
const MEETING_PLACE = "default";

/**
 * Where the candidates for one job meet: one Lease per controller and scope.
 *
 * Whoever looks after the same objects must meet the same Lease, wherever it runs and whichever program it is. So the Lease of a
 * namespace lies in that namespace, not in the operator's own; and the Lease of all namespaces has one fixed place. A namespace's
 * operator and a cluster-wide one share no objects and no Lease, neither do the controllers of two kinds.
 */
export function leasePlace(controller: string, scope: Pick<Scope, "kind" | "namespace">) {
  return { namespace: scope.namespace ?? MEETING_PLACE, name: `etcd-operator-${controller}-${scope.kind}` };
}
