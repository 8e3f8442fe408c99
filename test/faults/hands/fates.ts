/**
 * What becomes of a field that was changed behind the operator's back: it is reverted in this object, or also in one
 * that was made in its place; it gets a newer value; it stays as it was made, since nothing of ours depends on it; or
 * it stays, and a condition says so until it is corrected.
 */
export type Fate = "restored" | "remade" | "renewed" | "kept" | { readonly says: RegExp };

/** Where it is not reverted. The first that matches. */
const FATES: readonly (readonly [RegExp, Fate])[] = [
  // An administrator who takes a pod out of its cluster in this way may want to examine it: only that person knows.
  [/^pod\/metadata\.labels\.(app|etcd_cluster)$/, { says: /lacks the labels of its cluster: restore the labels/ }],
  // Nothing is changed while another etcd seems to answer, and clients do not reach it.
  [/^cluster\/status\.clusterID$/, { says: /responds in its place/ }],
  // An owner that is gone takes the object along; what is made in its place has ours.
  [/\/metadata\.ownerReferences$/, "remade"],
  // Kubernetes protects a claim that is used.
  [/^claim\/metadata\.finalizers$/, "renewed"],
  // Labels, annotations and finalizers of others, and what a user may want of a Service or of a budget.
  [/\/metadata\.((labels|annotations)\.team|finalizers)$/, "kept"],
  [
    /-service\/spec\.(sessionAffinity|ipFamilyPolicy|internalTrafficPolicy|externalIPs|type|loadBalancerSourceRanges)$/,
    "kept",
  ],
  [/^budget\/spec\.unhealthyPodEvictionPolicy$/, "kept"],
  // A pod is its member's by its owner and its name; its image was asked for when it was made.
  [/^pod\/metadata\.(labels\.etcd_node|annotations\.(pod-metadata|incarnation|asked-image))$/, "kept"],
  [/^pod\/spec\.initContainers/, "kept"],
  // A pod names its claim. What is noted on claims is for the day on which the EtcdCluster is created again.
  [/^claim\/.*cluster-record$/, "renewed"],
  [/^claim\/metadata\.labels\.(app|etcd_cluster)$/, "restored"],
  [/^claim\//, "kept"],
  // Figures alone are not worth a write: they are brought along with the next one.
  [/^cluster\/status\.(databaseSize|memberStatus\.0\.(databaseSizeBytes|revision))$/, "kept"],
  // Times, and what only grows.
  [/^cluster\/status\.(.*\.last(Update|Transition)Time|logMark\..*|incarnation)$/, "kept"],
  [/^lease\/spec\.(holderIdentity|renewTime)$/, "renewed"],
  [/^lease\/spec\.(acquireTime|leaseTransitions)$/, "kept"],
];

export function fateOf(field: string): Fate {
  return FATES.find(([pattern]) => pattern.test(field))?.[1] ?? "restored";
}
