import type { Affinity, NodeSelectorTerm, PodSpec, TopologySpreadConstraint } from "kubernetes-types/core/v1.d.ts";
import { clusterLabels } from "../../api/cluster-names.ts";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { defined } from "../../kubernetes/defined.ts";

type Placement = Pick<
  PodSpec,
  "affinity" | "topologySpreadConstraints" | "nodeSelector" | "tolerations" | "priorityClassName"
>;

const HOST = "kubernetes.io/hostname";
const ZONE = "topology.kubernetes.io/zone";

/**
 * On which nodes members may run. Unless told otherwise they spread over nodes and zones, as far as there are any. One that comes to relieve a
 * crowded node must not go to those that have members already: by affinity to nodes, which keeps no later pod away from where it runs.
 */
export function placement(cluster: EtcdCluster, apartFrom: readonly string[] = []): Placement {
  const { name } = cluster.metadata;
  const pod = cluster.spec.pod ?? {};
  return defined<Placement>({
    affinity: apart(pod.affinity ?? (pod.antiAffinity ? neverTwoOnOneNode(name) : undefined), apartFrom),
    topologySpreadConstraints: pod.topologySpreadConstraints ?? [HOST, ZONE].map((key) => spreadOver(key, name)),
    nodeSelector: pod.nodeSelector,
    tolerations: pod.tolerations,
    priorityClassName: pod.priorityClassName || undefined,
  });
}

// A wish and not a demand: on a small Kubernetes two members on one node are better than a member that never runs.
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

/** Nodes are named by their label, which on most is their name; elsewhere the pod may land beside another, and its member goes again. */
function apart(affinity: Affinity | undefined, nodes: readonly string[]): Affinity | undefined {
  if (nodes.length === 0) return affinity;
  const elsewhere = { key: HOST, operator: "NotIn", values: [...nodes] };
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms?.length ? required.nodeSelectorTerms : [{}];
  const nodeSelectorTerms = terms.map((term: NodeSelectorTerm) => ({
    ...term,
    matchExpressions: [...(term.matchExpressions ?? []), elsewhere],
  }));
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  return { ...affinity, nodeAffinity };
}
