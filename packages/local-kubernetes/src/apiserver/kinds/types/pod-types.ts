/** Pods, inside and out. `type-table.ts` says how to read it. */
export const podTypes = `
PodSpec: volumes[Volume/name] containers[Container/name]! restartPolicy terminationGracePeriodSeconds:int?
  activeDeadlineSeconds:int? dnsPolicy nodeSelector{} serviceAccountName serviceAccount nodeName hostNetwork:bool
  hostPID:bool hostIPC:bool securityContext:PodSecurityContext imagePullSecrets[LocalObjectReference/name] hostname
  subdomain affinity:Affinity schedulerName initContainers[Container/name] automountServiceAccountToken:bool?
  tolerations[Toleration] hostAliases[HostAlias/ip] priorityClassName priority:int? dnsConfig:PodDNSConfig
  shareProcessNamespace:bool? readinessGates[PodReadinessGate] runtimeClassName? enableServiceLinks:bool?
  preemptionPolicy? overhead{quantity} topologySpreadConstraints[TopologySpreadConstraint/topologyKey]
  ephemeralContainers[EphemeralContainer/name] setHostnameAsFQDN:bool? os:PodOS hostUsers:bool?
  schedulingGates[PodSchedulingGate/name] resourceClaims[PodResourceClaim/name] resources:ResourceRequirements
  hostnameOverride?
Volume: name! <VolumeSource>
VolumeSource: hostPath:HostPathVolumeSource emptyDir:EmptyDirVolumeSource gcePersistentDisk:any
  awsElasticBlockStore:any gitRepo:any secret:SecretVolumeSource nfs:NFSVolumeSource iscsi:any glusterfs:any
  persistentVolumeClaim:PersistentVolumeClaimVolumeSource rbd:any flexVolume:any cinder:any cephfs:any flocker:any
  downwardAPI:DownwardAPIVolumeSource fc:any azureFile:any configMap:ConfigMapVolumeSource vsphereVolume:any
  quobyte:any azureDisk:any photonPersistentDisk:any portworxVolume:any scaleIO:any projected:ProjectedVolumeSource
  storageos:any csi:CSIVolumeSource ephemeral:any image:any
HostPathVolumeSource: path! type?
EmptyDirVolumeSource: medium sizeLimit:quantity
SecretVolumeSource: secretName items[KeyToPath] defaultMode:int? optional:bool?
KeyToPath: key! path! mode:int?
NFSVolumeSource: server! path! readOnly:bool
PersistentVolumeClaimVolumeSource: claimName! readOnly:bool
DownwardAPIVolumeSource: items[DownwardAPIVolumeFile] defaultMode:int?
DownwardAPIVolumeFile: path! fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector mode:int?
ObjectFieldSelector: apiVersion fieldPath!
ResourceFieldSelector: containerName resource! divisor:quantity
ConfigMapVolumeSource: <LocalObjectReference> items[KeyToPath] defaultMode:int? optional:bool?
ProjectedVolumeSource: sources[VolumeProjection] defaultMode:int?
VolumeProjection: secret:SecretProjection downwardAPI:DownwardAPIProjection configMap:ConfigMapProjection
  serviceAccountToken:ServiceAccountTokenProjection clusterTrustBundle:ClusterTrustBundleProjection
  podCertificate:PodCertificateProjection
SecretProjection: <LocalObjectReference> items[KeyToPath] @4 optional:bool?
DownwardAPIProjection: items[DownwardAPIVolumeFile]
ConfigMapProjection: <LocalObjectReference> items[KeyToPath] @4 optional:bool?
ServiceAccountTokenProjection: audience expirationSeconds:int? path!
ClusterTrustBundleProjection: name? signerName? labelSelector:LabelSelector path! optional:bool?
PodCertificateProjection: signerName! keyType! maxExpirationSeconds:int? credentialBundlePath keyPath
  certificateChainPath
CSIVolumeSource: driver! readOnly:bool? fsType? volumeAttributes{} nodePublishSecretRef:LocalObjectReference
Container: name! image command[] args[] workingDir ports[ContainerPort/containerPort] env[EnvVar/name]
  resources:ResourceRequirements volumeMounts[VolumeMount/mountPath] livenessProbe:Probe readinessProbe:Probe
  lifecycle:Lifecycle terminationMessagePath imagePullPolicy securityContext:SecurityContext stdin:bool stdinOnce:bool
  tty:bool envFrom[EnvFromSource] terminationMessagePolicy volumeDevices[VolumeDevice/devicePath] startupProbe:Probe
  resizePolicy[ContainerResizePolicy] restartPolicy? restartPolicyRules[ContainerRestartRule]
ContainerPort: name hostPort:int containerPort:int! protocol hostIP
EnvVar: name! value valueFrom:EnvVarSource
EnvVarSource: fieldRef:ObjectFieldSelector resourceFieldRef:ResourceFieldSelector configMapKeyRef:ConfigMapKeySelector
  secretKeyRef:SecretKeySelector fileKeyRef:FileKeySelector
ConfigMapKeySelector: <LocalObjectReference> key! optional:bool?
SecretKeySelector: <LocalObjectReference> key! optional:bool?
FileKeySelector: volumeName! path! key! optional:bool?
ResourceRequirements: limits{quantity} requests{quantity} claims[ResourceClaim]
ResourceClaim: name! request
VolumeMount: name! readOnly:bool mountPath! subPath mountPropagation? subPathExpr recursiveReadOnly?
Probe: <ProbeHandler> initialDelaySeconds:int timeoutSeconds:int periodSeconds:int successThreshold:int
  failureThreshold:int terminationGracePeriodSeconds:int?
ProbeHandler: exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction grpc:GRPCAction
ExecAction: command[]
HTTPGetAction: path port:intOrString! host scheme httpHeaders[HTTPHeader]
HTTPHeader: name! value!
TCPSocketAction: port:intOrString! host
GRPCAction: port:int! service?
Lifecycle: postStart:LifecycleHandler preStop:LifecycleHandler stopSignal?
LifecycleHandler: exec:ExecAction httpGet:HTTPGetAction tcpSocket:TCPSocketAction sleep:SleepAction
SleepAction: seconds:int!
SecurityContext: capabilities:Capabilities privileged:bool? seLinuxOptions:SELinuxOptions runAsUser:int?
  runAsNonRoot:bool? readOnlyRootFilesystem:bool? allowPrivilegeEscalation:bool? runAsGroup:int? procMount?
  windowsOptions:WindowsSecurityContextOptions seccompProfile:SeccompProfile appArmorProfile:AppArmorProfile
Capabilities: add[] drop[]
SELinuxOptions: user role type level
WindowsSecurityContextOptions: gmsaCredentialSpecName? gmsaCredentialSpec? runAsUserName? hostProcess:bool?
SeccompProfile: type! localhostProfile?
AppArmorProfile: type! localhostProfile?
EnvFromSource: prefix configMapRef:ConfigMapEnvSource secretRef:SecretEnvSource
ConfigMapEnvSource: <LocalObjectReference> optional:bool?
SecretEnvSource: <LocalObjectReference> optional:bool?
VolumeDevice: name! devicePath!
ContainerResizePolicy: resourceName! restartPolicy!
ContainerRestartRule: action! exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator! values[int]
PodSecurityContext: seLinuxOptions:SELinuxOptions runAsUser:int? runAsNonRoot:bool? supplementalGroups[int]
  fsGroup:int? runAsGroup:int? sysctls[Sysctl] windowsOptions:WindowsSecurityContextOptions fsGroupChangePolicy?
  seccompProfile:SeccompProfile appArmorProfile:AppArmorProfile supplementalGroupsPolicy? seLinuxChangePolicy?
Sysctl: name! value!
Affinity: nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
NodeAffinity: requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
  preferredDuringSchedulingIgnoredDuringExecution[PreferredSchedulingTerm]
NodeSelector: nodeSelectorTerms[NodeSelectorTerm]!
NodeSelectorTerm: matchExpressions[NodeSelectorRequirement] matchFields[NodeSelectorRequirement]
NodeSelectorRequirement: key! operator! values[]
PreferredSchedulingTerm: weight:int! preference:NodeSelectorTerm!
PodAffinity: requiredDuringSchedulingIgnoredDuringExecution[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution[WeightedPodAffinityTerm]
PodAffinityTerm: labelSelector:LabelSelector namespaces[] topologyKey! namespaceSelector:LabelSelector
  matchLabelKeys[] mismatchLabelKeys[]
WeightedPodAffinityTerm: weight:int! podAffinityTerm:PodAffinityTerm!
PodAntiAffinity: requiredDuringSchedulingIgnoredDuringExecution[PodAffinityTerm]
  preferredDuringSchedulingIgnoredDuringExecution[WeightedPodAffinityTerm]
Toleration: key operator value effect tolerationSeconds:int?
HostAlias: ip! hostnames[]
PodDNSConfig: nameservers[] searches[] options[PodDNSConfigOption]
PodDNSConfigOption: name value?
PodReadinessGate: conditionType!
TopologySpreadConstraint: maxSkew:int! topologyKey! whenUnsatisfiable! labelSelector:LabelSelector minDomains:int?
  nodeAffinityPolicy? nodeTaintsPolicy? matchLabelKeys[]
EphemeralContainer: <EphemeralContainerCommon> targetContainerName
EphemeralContainerCommon: name! image command[] args[] workingDir ports[ContainerPort/containerPort] env[EnvVar/name]
  resources:ResourceRequirements volumeMounts[VolumeMount/mountPath] livenessProbe:Probe readinessProbe:Probe
  lifecycle:Lifecycle terminationMessagePath imagePullPolicy securityContext:SecurityContext stdin:bool stdinOnce:bool
  tty:bool envFrom[EnvFromSource] terminationMessagePolicy volumeDevices[VolumeDevice/devicePath] startupProbe:Probe
  resizePolicy[ContainerResizePolicy] restartPolicy? restartPolicyRules[ContainerRestartRule]
PodOS: name!
PodSchedulingGate: name!
PodResourceClaim: name! @3 resourceClaimName? resourceClaimTemplateName?
Pod: * metadata:ObjectMeta spec:PodSpec status:PodStatus
PodStatus: phase conditions[PodCondition/type] message reason hostIP podIP startTime:time
  containerStatuses[ContainerStatus] qosClass initContainerStatuses[ContainerStatus] nominatedNodeName
  podIPs[PodIP/ip] ephemeralContainerStatuses[ContainerStatus] resize
  resourceClaimStatuses[PodResourceClaimStatus/name] hostIPs[HostIP/ip] observedGeneration:int
  extendedResourceClaimStatus:PodExtendedResourceClaimStatus
PodCondition: type! status! lastProbeTime:time lastTransitionTime:time reason message observedGeneration:int
ContainerStatus: name! state:ContainerState lastState:ContainerState ready:bool! restartCount:int! image! imageID!
  containerID started:bool? allocatedResources{quantity} resources:ResourceRequirements
  volumeMounts[VolumeMountStatus/mountPath] user:ContainerUser allocatedResourcesStatus[ResourceStatus/name]
  stopSignal?
ContainerState: waiting:ContainerStateWaiting running:ContainerStateRunning terminated:ContainerStateTerminated
ContainerStateWaiting: reason message
ContainerStateRunning: startedAt:time
ContainerStateTerminated: exitCode:int! signal:int reason message startedAt:time finishedAt:time containerID
VolumeMountStatus: name! mountPath! readOnly:bool recursiveReadOnly?
ContainerUser: linux:LinuxContainerUser
LinuxContainerUser: uid:int! gid:int! supplementalGroups[int]
ResourceStatus: name! resources[ResourceHealth]
ResourceHealth: resourceID! health
PodIP: ip!
PodResourceClaimStatus: name! resourceClaimName?
HostIP: ip!
PodExtendedResourceClaimStatus: requestMappings[ContainerExtendedResourceRequest]! resourceClaimName!
ContainerExtendedResourceRequest: containerName! resourceName! requestName!
`;
