import type { Pass } from "@etcd-operator/controller-runtime";
import type { Clock, RecordedEvent, Stored } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster, EtcdClusterStatus } from "../api/etcd-cluster.ts";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import type { Decision } from "./plan.ts";

/** What a pass is made of; each step is a file of its own beside this one. */
export interface Steps {
  /** Undefined when there is nothing to look after: the cluster is gone, or not this operator's. */
  readonly observe: (key: string, pass: Pass, signal: AbortSignal) => Promise<Observation | undefined>;
  readonly plan: (seen: Observation) => Decision;
  readonly act: (seen: Observation, action: Action, pass: Pass, signal: AbortSignal) => Promise<ActionOutcome>;
  readonly statusAfter: (seen: Observation, action: Action, outcome: ActionOutcome) => EtcdClusterStatus;
  readonly isWorthWriting: (old: EtcdClusterStatus | undefined, next: EtcdClusterStatus) => boolean;
  /** Fails when the cluster has changed since it was seen. Gives it as it is then. */
  readonly writeStatus: (
    cluster: Stored<EtcdCluster>,
    status: EtcdClusterStatus,
    pass: Pass,
    signal: AbortSignal,
  ) => Promise<Stored<EtcdCluster>>;
  readonly eventsOf: (
    seen: Observation,
    action: Action,
    outcome: ActionOutcome,
    status: EtcdClusterStatus,
  ) => readonly RecordedEvent[];
  readonly record: (cluster: Stored<EtcdCluster>, event: RecordedEvent) => void;
  /** When to look again though nothing happens, because time itself will change something. */
  readonly recheckMs: (seen: Observation) => number | undefined;
  /** How long a cluster at rest may be left alone at most; undefined leaves it to the usual length. */
  readonly longestRestMs: (seen: Observation) => number | undefined;
  /** Whether all is well, and whatever goes wrong next will show as an event. */
  readonly isAtRest: (seen: Observation) => boolean;
  readonly clock: Pick<Clock, "monotonic" | "after">;
}
