/** What is only ever sent, never stored. `type-table.ts` says how to read it. */
export const requestTypes = `
SelfSubjectReview: * metadata:ObjectMeta status:SelfSubjectReviewStatus
SelfSubjectReviewStatus: userInfo:UserInfo
UserInfo: username uid groups[] extra{[]}
TokenRequest: * metadata:ObjectMeta spec:TokenRequestSpec! status:TokenRequestStatus
TokenRequestSpec: audiences[]! @3 boundObjectRef:BoundObjectReference expirationSeconds:int?
BoundObjectReference: kind apiVersion name uid
TokenRequestStatus: token! expirationTimestamp:time!
SelfSubjectAccessReview: * metadata:ObjectMeta spec:SelfSubjectAccessReviewSpec! status:SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec: resourceAttributes:ResourceAttributes nonResourceAttributes:NonResourceAttributes
ResourceAttributes: namespace verb group version resource subresource name fieldSelector:FieldSelectorAttributes
  labelSelector:LabelSelectorAttributes
FieldSelectorAttributes: rawSelector requirements[FieldSelectorRequirement]
FieldSelectorRequirement: key! operator! values[]
LabelSelectorAttributes: rawSelector requirements[LabelSelectorRequirement]
NonResourceAttributes: path verb
SubjectAccessReviewStatus: allowed:bool! reason evaluationError denied:bool
SubjectAccessReview: * metadata:ObjectMeta spec:SubjectAccessReviewSpec! status:SubjectAccessReviewStatus
LocalSubjectAccessReview: * metadata:ObjectMeta spec:SubjectAccessReviewSpec! status:SubjectAccessReviewStatus
SubjectAccessReviewSpec: resourceAttributes:ResourceAttributes nonResourceAttributes:NonResourceAttributes user groups[]
  extra{[]} uid
TokenReview: * metadata:ObjectMeta spec:TokenReviewSpec! status:TokenReviewStatus
TokenReviewSpec: token audiences[]
TokenReviewStatus: authenticated:bool user:UserInfo error audiences[]
Binding: * metadata:ObjectMeta target:ObjectReference!
Eviction: * metadata:ObjectMeta deleteOptions:DeleteOptions
DeleteOptions: * gracePeriodSeconds:int? preconditions:Preconditions orphanDependents:bool? propagationPolicy?
  dryRun[] ignoreStoreReadErrorWithClusterBreakingPotential:bool?
Preconditions: uid? resourceVersion?
`;
