import type { Scope } from "../context/controller-context.ts";

/** It exists in every cluster, and cannot be deleted. */
const MEETING_PLACE = "default";

/**
 * The Lease for one job: one per controller and scope. All processes that manage the same objects must compete for the
 * same Lease, wherever they run and whichever program they are. So the Lease of a namespace is in that namespace, not
 * in the operator's own; and the Lease of all namespaces has one fixed place. An operator of one namespace and a
 * cluster-wide one share no objects and no Lease; neither do the controllers of two kinds.
 */
export function leasePlace(controller: string, scope: Pick<Scope, "kind" | "namespace">) {
  return { namespace: scope.namespace ?? MEETING_PLACE, name: `etcd-operator-${controller}-${scope.kind}` };
}
