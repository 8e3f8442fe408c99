import { defined } from "@etcd-operator/kubernetes-client";
import type { Affinity, NodeSelectorTerm, PodSpec, TopologySpreadConstraint } from "kubernetes-types/core/v1.d.ts";
import { clusterLabels } from "../../../api/cluster/cluster-names.ts";
import type { EtcdCluster } from "../../../api/etcd-cluster.ts";

type Placement = Pick<
  PodSpec,
  "affinity" | "topologySpreadConstraints" | "nodeSelector" | "tolerations" | "priorityClassName"
>;

const HOST = "kubernetes.io/hostname";
export const ZONE = "topology.kubernetes.io/zone";

/** Where a member may go that comes to relieve a crowded node or zone. */
export interface Elsewhere {
  /** Not to these nodes. */
  readonly apartFrom: readonly string[];
  /** Only to these zones; absent: to any. */
  readonly zones?: readonly string[];
}

/**
 * On which nodes members may run. By default they spread over nodes and zones, as far as there are any. One
 * that relieves a crowded node or zone has fewer to choose from: by affinity to nodes, which keeps no later pod
 * away from where it runs.
 */
export function placement(cluster: EtcdCluster, elsewhere?: Elsewhere): Placement {
  const { name } = cluster.metadata;
  const pod = cluster.spec.pod ?? {};
  return defined<Placement>({
    affinity: apart(pod.affinity ?? (pod.antiAffinity ? neverTwoOnOneNode(name) : undefined), elsewhere),
    topologySpreadConstraints: pod.topologySpreadConstraints ?? [HOST, ZONE].map((key) => spreadOver(key, name)),
    nodeSelector: pod.nodeSelector,
    tolerations: pod.tolerations,
    priorityClassName: pod.priorityClassName || undefined,
  });
}

// Preferred, not required: on a small Kubernetes two members on one node are better than a member that never runs.
function spreadOver(topologyKey: string, clusterName: string): TopologySpreadConstraint {
  return {
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: clusterLabels(clusterName) },
  };
}

function neverTwoOnOneNode(clusterName: string): Affinity {
  const term = { labelSelector: { matchLabels: clusterLabels(clusterName) }, topologyKey: HOST };
  return { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
}

/**
 * Nodes are named by their label, which on most is their name; elsewhere the pod may land beside another, and its
 * member is removed again.
 */
function apart(affinity: Affinity | undefined, elsewhere: Elsewhere | undefined): Affinity | undefined {
  if (!elsewhere || elsewhere.apartFrom.length === 0) return affinity;
  const { apartFrom, zones } = elsewhere;
  const added = [
    { key: HOST, operator: "NotIn", values: [...apartFrom] },
    ...(zones?.length ? [{ key: ZONE, operator: "In", values: [...zones] }] : []),
  ];
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms?.length ? required.nodeSelectorTerms : [{}];
  const nodeSelectorTerms = terms.map((term: NodeSelectorTerm) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), ...added],
  }));
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  return { ...affinity, nodeAffinity };
}
