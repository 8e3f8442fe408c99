export { loadConnection } from "./connect/connection.ts";
export { fixedCredential } from "./connect/credential.ts";
export { type ElectionTimes, type IsLeading, runElected } from "./election/lease-election.ts";
export { EventRecorder, type RecordedEvent } from "./events/event-recorder.ts";
export { podTrouble, startProgress } from "./pods/pod-trouble.ts";
export { pullSecrets } from "./pods/pull-secrets.ts";
export {
  containerSecurityFor,
  isLeftToPlatform,
  podSecurityFor,
  restrictedContainer,
} from "./pods/restricted-security.ts";
export { idleTimer } from "./requests/idle-timer.ts";
export { type KubeObject, keyOf, type ObjectRef, refOf, type Stored } from "./requests/kube-object.ts";
export {
  hasCode,
  isAboutGoingNamespace,
  KubernetesError,
  type KubernetesErrorCode,
} from "./requests/kubernetes-error.ts";
export { type LinkedAbort, linkedAbort } from "./requests/linked-abort.ts";
export { onAbort } from "./requests/on-abort.ts";
export type { DeleteOptions, Patch, Selection, WriteOptions } from "./requests/request-options.ts";
export { pathOf, type Resource } from "./requests/resource.ts";
export { isAtLeast } from "./requests/resource-version.ts";
export { namespaced, resources } from "./requests/resources.ts";
export { KubeClient } from "./requests/rest-client.ts";
export { conditionAfter, conditionOf, cut, type Verdict } from "./status/condition-after.ts";
export { withEndConditions } from "./status/end-conditions.ts";
export { humanBytes } from "./status/human-bytes.ts";
export { parseTime, rfc3339 } from "./status/kube-time.ts";
export { refusalInWords } from "./status/refusal-in-words.ts";
export { filledUp, prunedFields, withUnknownFields } from "./status/status-fields.ts";
export { UnreadableStatus } from "./status/unreadable-status.ts";
export { defined } from "./values/defined.ts";
export { meetsRequirement } from "./values/meets-requirement.ts";
export { messageOf } from "./values/message-of.ts";
export { randomSuffix } from "./values/random-suffix.ts";
export { sortedJson } from "./values/sorted-json.ts";
export { Backoff } from "./watch/backoff.ts";
export type { CacheReader, Change } from "./watch/cache.ts";
export { type Clock, pause, systemClock } from "./watch/clock.ts";
export { compactObject } from "./watch/compact-object.ts";
export { byLabel, type Indexer } from "./watch/indexers.ts";
export { Informer, withoutManagedFields } from "./watch/informer.ts";
export { LeastRecent } from "./watch/least-recent.ts";
export { sharedWith } from "./watch/shared-parts.ts";
