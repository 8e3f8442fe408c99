/** Nodes, volumes, Services and the other kinds around pods. `type-table.ts` says how to read it. */
export const clusterTypes = `
PersistentVolumeClaim: * metadata:ObjectMeta spec:PersistentVolumeClaimSpec status:PersistentVolumeClaimStatus
PersistentVolumeClaimSpec: accessModes[] resources:VolumeResourceRequirements volumeName selector:LabelSelector
  storageClassName? volumeMode? dataSource:TypedLocalObjectReference dataSourceRef:TypedObjectReference
  volumeAttributesClassName?
VolumeResourceRequirements: limits{quantity} requests{quantity}
TypedLocalObjectReference: apiGroup? kind! name!
TypedObjectReference: apiGroup? kind! name! namespace?
PersistentVolumeClaimStatus: phase accessModes[] capacity{quantity} conditions[PersistentVolumeClaimCondition/type]
  allocatedResources{quantity} @7 allocatedResourceStatuses{} currentVolumeAttributesClassName?
  modifyVolumeStatus:ModifyVolumeStatus
PersistentVolumeClaimCondition: type! status! lastProbeTime:time lastTransitionTime:time reason message
ModifyVolumeStatus: targetVolumeAttributesClassName status!
Lease: * metadata:ObjectMeta spec:LeaseSpec
LeaseSpec: holderIdentity? leaseDurationSeconds:int? acquireTime:microTime renewTime:microTime leaseTransitions:int?
  strategy? preferredHolder?
ConfigMap: * metadata:ObjectMeta data{} binaryData{bytes} immutable:bool?
Endpoints: * metadata:ObjectMeta subsets[EndpointSubset]
EndpointSubset: addresses[EndpointAddress] notReadyAddresses[EndpointAddress] ports[EndpointPort]
EndpointAddress: ip! targetRef:ObjectReference hostname nodeName?
EndpointPort: name port:int! protocol appProtocol?
Event: * metadata:ObjectMeta! involvedObject:ObjectReference! reason message source:EventSource firstTimestamp:time
  lastTimestamp:time count:int type eventTime:microTime series:EventSeries action related:ObjectReference
  reportingComponent reportingInstance
EventSource: component host
EventSeries: count:int lastObservedTime:microTime
Namespace: * metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceSpec: finalizers[]
NamespaceStatus: phase conditions[NamespaceCondition/type]
NamespaceCondition: type! status! @4 lastTransitionTime:time reason message
Node: * metadata:ObjectMeta spec:NodeSpec status:NodeStatus
NodeSpec: podCIDR externalID providerID unschedulable:bool taints[Taint] configSource:NodeConfigSource podCIDRs[+]
Taint: key! value effect! timeAdded:time
NodeConfigSource: @2 configMap:ConfigMapNodeConfigSource
ConfigMapNodeConfigSource: namespace! name! uid resourceVersion kubeletConfigKey!
NodeStatus: capacity{quantity} allocatable{quantity} phase conditions[NodeCondition/type] addresses[NodeAddress/type]
  daemonEndpoints:NodeDaemonEndpoints nodeInfo:NodeSystemInfo images[ContainerImage] volumesInUse[]
  volumesAttached[AttachedVolume] config:NodeConfigStatus runtimeHandlers[NodeRuntimeHandler] features:NodeFeatures
NodeCondition: type! status! lastHeartbeatTime:time lastTransitionTime:time reason message
NodeAddress: type! address!
NodeDaemonEndpoints: kubeletEndpoint:DaemonEndpoint
DaemonEndpoint: Port:int!
NodeSystemInfo: machineID! systemUUID! bootID! kernelVersion! osImage! containerRuntimeVersion! kubeletVersion!
  kubeProxyVersion! operatingSystem! architecture! swap:NodeSwapStatus
NodeSwapStatus: capacity:int?
ContainerImage: names[] sizeBytes:int
AttachedVolume: name! devicePath!
NodeConfigStatus: assigned:NodeConfigSource active:NodeConfigSource lastKnownGood:NodeConfigSource error
NodeRuntimeHandler: name features:NodeRuntimeHandlerFeatures
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts:bool? userNamespaces:bool?
NodeFeatures: supplementalGroupsPolicy:bool?
PersistentVolume: * metadata:ObjectMeta spec:PersistentVolumeSpec status:PersistentVolumeStatus
PersistentVolumeSpec: capacity{quantity} <PersistentVolumeSource> accessModes[] claimRef:ObjectReference
  persistentVolumeReclaimPolicy storageClassName mountOptions[] volumeMode? nodeAffinity:VolumeNodeAffinity
  volumeAttributesClassName?
PersistentVolumeSource: gcePersistentDisk:any awsElasticBlockStore:any hostPath:HostPathVolumeSource glusterfs:any
  nfs:NFSVolumeSource rbd:any iscsi:any cinder:any cephfs:any fc:any flocker:any flexVolume:any azureFile:any
  vsphereVolume:any quobyte:any azureDisk:any photonPersistentDisk:any portworxVolume:any scaleIO:any
  local:LocalVolumeSource storageos:any csi:CSIPersistentVolumeSource
LocalVolumeSource: path! fsType?
CSIPersistentVolumeSource: driver! volumeHandle! readOnly:bool fsType volumeAttributes{}
  controllerPublishSecretRef:SecretReference nodeStageSecretRef:SecretReference nodePublishSecretRef:SecretReference
  controllerExpandSecretRef:SecretReference nodeExpandSecretRef:SecretReference
SecretReference: name namespace
VolumeNodeAffinity: required:NodeSelector
PersistentVolumeStatus: phase message reason lastPhaseTransitionTime:time
Secret: * metadata:ObjectMeta data{bytes} type stringData{} immutable:bool?
Service: * metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceSpec: ports[ServicePort/port] selector{} clusterIP type externalIPs[] @7 sessionAffinity loadBalancerIP
  loadBalancerSourceRanges[] externalName externalTrafficPolicy healthCheckNodePort:int publishNotReadyAddresses:bool
  sessionAffinityConfig:SessionAffinityConfig @17 ipFamilyPolicy? clusterIPs[] ipFamilies[]
  allocateLoadBalancerNodePorts:bool? loadBalancerClass? internalTrafficPolicy? trafficDistribution?
ServicePort: name protocol port:int! targetPort:intOrString nodePort:int appProtocol?
SessionAffinityConfig: clientIP:ClientIPConfig
ClientIPConfig: timeoutSeconds:int?
ServiceStatus: loadBalancer:LoadBalancerStatus conditions[Condition/type]
LoadBalancerStatus: ingress[LoadBalancerIngress]
LoadBalancerIngress: ip hostname ipMode? ports[PortStatus]
PortStatus: port:int! protocol! error?
ServiceAccount: * metadata:ObjectMeta secrets[ObjectReference/name] imagePullSecrets[LocalObjectReference]
  automountServiceAccountToken:bool?
EndpointSlice: * metadata:ObjectMeta endpoints[Endpoint]! ports[SliceEndpointPort] addressType!
Endpoint: addresses[]! conditions:EndpointConditions hostname? targetRef:ObjectReference deprecatedTopology{}
  nodeName? zone? hints:EndpointHints
EndpointConditions: ready:bool? serving:bool? terminating:bool?
EndpointHints: forZones[ForZone] forNodes[ForNode]
ForZone: name!
ForNode: name!
SliceEndpointPort: name? protocol? port:int? appProtocol?
PodDisruptionBudget: * metadata:ObjectMeta spec:PodDisruptionBudgetSpec status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: minAvailable:intOrString selector:LabelSelector maxUnavailable:intOrString
  unhealthyPodEvictionPolicy?
PodDisruptionBudgetStatus: observedGeneration:int disruptedPods{time} disruptionsAllowed:int! currentHealthy:int!
  desiredHealthy:int! expectedPods:int! conditions[Condition/type]
ClusterRole: * metadata:ObjectMeta rules[PolicyRule] aggregationRule:AggregationRule
PolicyRule: verbs[]! apiGroups[] resources[] resourceNames[] nonResourceURLs[]
AggregationRule: clusterRoleSelectors[LabelSelector]
ClusterRoleBinding: * metadata:ObjectMeta subjects[Subject] roleRef:RoleRef!
Subject: kind! apiGroup name! namespace
RoleRef: apiGroup! kind! name!
Role: * metadata:ObjectMeta rules[PolicyRule]
RoleBinding: * metadata:ObjectMeta subjects[Subject] roleRef:RoleRef!
PriorityClass: * metadata:ObjectMeta value:int! globalDefault:bool description preemptionPolicy?
StorageClass: * metadata:ObjectMeta provisioner! parameters{} reclaimPolicy? mountOptions[] allowVolumeExpansion:bool?
  volumeBindingMode? allowedTopologies[TopologySelectorTerm]
TopologySelectorTerm: matchLabelExpressions[TopologySelectorLabelRequirement]
TopologySelectorLabelRequirement: key! values[]!
`;
