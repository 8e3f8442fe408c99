/** What makes pods, and how far it is. `type-table.ts` says how to read it. */
export const workloadTypes = `
PodTemplateSpec: metadata:ObjectMeta spec:PodSpec
Deployment: * metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentSpec: replicas:int? selector:LabelSelector! template:PodTemplateSpec! strategy:DeploymentStrategy
  minReadySeconds:int revisionHistoryLimit:int? paused:bool @9 progressDeadlineSeconds:int?
DeploymentStrategy: type rollingUpdate:RollingUpdateDeployment
RollingUpdateDeployment: maxUnavailable:intOrString maxSurge:intOrString
DeploymentStatus: observedGeneration:int replicas:int updatedReplicas:int availableReplicas:int
  unavailableReplicas:int conditions[DeploymentCondition/type] readyReplicas:int collisionCount:int?
  terminatingReplicas:int?
DeploymentCondition: type! status! @4 reason message lastUpdateTime:time lastTransitionTime:time
ReplicaSet: * metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
ReplicaSetSpec: replicas:int? selector:LabelSelector! template:PodTemplateSpec minReadySeconds:int
ReplicaSetStatus: replicas:int! fullyLabeledReplicas:int observedGeneration:int readyReplicas:int
  availableReplicas:int conditions[ReplicaSetCondition/type] terminatingReplicas:int?
ReplicaSetCondition: type! status! lastTransitionTime:time reason message
Scale: * metadata:ObjectMeta spec:ScaleSpec status:ScaleStatus
ScaleSpec: replicas:int
ScaleStatus: replicas:int! selector
CronJob: * metadata:ObjectMeta spec:CronJobSpec status:CronJobStatus
CronJobSpec: schedule! startingDeadlineSeconds:int? concurrencyPolicy suspend:bool? jobTemplate:JobTemplateSpec!
  successfulJobsHistoryLimit:int? failedJobsHistoryLimit:int? timeZone?
JobTemplateSpec: metadata:ObjectMeta spec:JobSpec
JobSpec: parallelism:int? completions:int? activeDeadlineSeconds:int? selector:LabelSelector manualSelector:bool?
  template:PodTemplateSpec! backoffLimit:int? ttlSecondsAfterFinished:int? completionMode? suspend:bool?
  podFailurePolicy:PodFailurePolicy backoffLimitPerIndex:int? maxFailedIndexes:int? podReplacementPolicy? managedBy?
  successPolicy:SuccessPolicy
PodFailurePolicy: rules[PodFailurePolicyRule]!
PodFailurePolicyRule: action! onExitCodes:PodFailurePolicyOnExitCodesRequirement
  onPodConditions[PodFailurePolicyOnPodConditionsPattern]
PodFailurePolicyOnExitCodesRequirement: containerName? operator! values[int]!
PodFailurePolicyOnPodConditionsPattern: type! status!
SuccessPolicy: rules[SuccessPolicyRule]!
SuccessPolicyRule: succeededIndexes? succeededCount:int?
CronJobStatus: active[ObjectReference] @4 lastScheduleTime:time lastSuccessfulTime:time
Job: * metadata:ObjectMeta spec:JobSpec status:JobStatus
JobStatus: conditions[JobCondition/type] startTime:time completionTime:time active:int succeeded:int failed:int
  completedIndexes uncountedTerminatedPods:UncountedTerminatedPods ready:int? failedIndexes? terminating:int?
JobCondition: type! status! lastProbeTime:time lastTransitionTime:time reason message
UncountedTerminatedPods: succeeded[] failed[]
`;
