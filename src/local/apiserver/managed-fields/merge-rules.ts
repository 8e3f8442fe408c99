/** Where applying merges a list in another way than a strategic merge patch: `atomic`, `set`, or the keys of its items. */
export const LIST_MERGES: ReadonlyMap<string, string> = new Map([
  ["Container.ports", "containerPort,protocol"],
  ["EphemeralContainerCommon.ports", "containerPort,protocol"],
  ["EphemeralContainer.ports", "containerPort,protocol"],
  ["ServiceSpec.ports", "port,protocol"],
  ["PodSpec.topologySpreadConstraints", "topologyKey,whenUnsatisfiable"],
  ["PodStatus.hostIPs", "atomic"],
  ["JobStatus.conditions", "atomic"],
  ["CustomResourceDefinitionStatus.conditions", "type"],
  ["ResourceRequirements.claims", "name"],
  ["ResourceStatus.resources", "resourceID"],
  ["ContainerRestartRuleOnExitCodes.values", "set"],
  ["PodFailurePolicyOnExitCodesRequirement.values", "set"],
  ["UncountedTerminatedPods.succeeded", "set"],
  ["UncountedTerminatedPods.failed", "set"],
  ["Endpoint.addresses", "set"],
]);

/** What a key of an item is taken to be where it is not set, and is not the zero value. */
export const ITEM_KEYS: ReadonlyMap<string, unknown> = new Map([["protocol", "TCP"]]);

/** Types whose fields make sense only together. */
export const ATOMIC_TYPES: ReadonlySet<string> = new Set([
  ...["OwnerReference", "ObjectReference", "LocalObjectReference", "TypedLocalObjectReference", "SecretReference"],
  ...["LabelSelector", "NodeSelector", "NodeSelectorTerm", "TopologySelectorTerm"],
  ...["ObjectFieldSelector", "ResourceFieldSelector", "ConfigMapKeySelector", "SecretKeySelector", "FileKeySelector"],
  ...["EndpointAddress", "EndpointPort", "SliceEndpointPort", "Subject", "RoleRef"],
]);

/** Maps that belong to one manager as a whole. */
export const ATOMIC_FIELDS: ReadonlySet<string> = new Set(["PodSpec.nodeSelector", "ServiceSpec.selector"]);

/**
 * Fields that kube-apiserver's objects have even when nobody set them: structs that are no pointers, times, and what its
 * Go types do not leave out. Required fields are not repeated here. `*` is any type.
 */
export const ZERO_VALUES: ReadonlySet<string> = new Set([
  ...["*.metadata", "*.spec", "*.status", "*.template", "ObjectMeta.creationTimestamp"],
  ...["Container.resources", "EphemeralContainer.resources", "PersistentVolumeClaimSpec.resources"],
  ...["DeploymentSpec.strategy", "StatefulSetSpec.updateStrategy", "DaemonSetSpec.updateStrategy"],
  ...["CronJobSpec.jobTemplate", "StatefulSetSpec.serviceName", "StatefulSetStatus.availableReplicas"],
  ...["NodeStatus.daemonEndpoints", "NodeStatus.nodeInfo", "NodeDaemonEndpoints.kubeletEndpoint"],
  ...["ServiceStatus.loadBalancer", "Endpoint.conditions", "EndpointSlice.ports"],
  ...["Event.involvedObject", "Event.source", "Event.reportingComponent", "Event.reportingInstance"],
  ...["Event.firstTimestamp", "Event.lastTimestamp", "Event.eventTime", "EventSeries.lastObservedTime"],
  ...["EventsEvent.regarding", "EventsEvent.deprecatedSource", "EventsEvent.deprecatedFirstTimestamp"],
  ...["EventsEvent.deprecatedLastTimestamp", "ContainerStateRunning.startedAt"],
  ...["ContainerStateTerminated.startedAt", "ContainerStateTerminated.finishedAt"],
  ...["ContainerStatus.state", "ContainerStatus.lastState"],
  ...["ClusterRole.rules", "Role.rules", "ClusterRoleBinding.roleRef", "RoleBinding.roleRef"],
  ...["CustomResourceDefinitionSpec.names", "CustomResourceDefinitionStatus.acceptedNames"],
  ...["CustomResourceDefinitionStatus.conditions", "CustomResourceDefinitionStatus.storedVersions"],
]);
