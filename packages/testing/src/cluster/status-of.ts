import assert from "node:assert/strict";
import type { Condition } from "@etcd-operator/operator/api/condition.ts";
import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { etcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster-status.ts";
import type { Action, ActionOutcome } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { statusAfter } from "@etcd-operator/operator/cluster/status.ts";
import { anObservation, CLUSTER_ID, NOW_MS, type ObservationGiven } from "./an-observation.ts";

export const NOTHING: Action = { kind: "none", reason: "UpToDate", message: "All members match the spec" };
export const DONE: ActionOutcome = { kind: "done" };
export const POSTPONED: ActionOutcome = { kind: "postponed", why: "etcd says not now", retryMs: 500 };

/** For tests: the status after a reconcile, which the API server would take as it is. */
export function statusOf(
  seen: Observation,
  action: Action = NOTHING,
  outcome: ActionOutcome = DONE,
): EtcdClusterStatus {
  const status = statusAfter(seen, action, outcome);
  assert.deepEqual(etcdClusterStatus.parse(status), status);
  return status;
}

/** Of a cluster that runs, and of which nothing else has been written down yet. */
export const RUNNING = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running" } as const;

/** Several reconciles of a cluster that runs, one after the other: each sees what the previous one wrote. */
export function statusAfterPasses(...passes: readonly (ObservationGiven & { readonly atMs?: number })[]) {
  return passes.reduce<EtcdClusterStatus>((status, { atMs = 0, ...given }) => {
    return statusOf(anObservation({ status, ...given, seen: { nowMs: NOW_MS + atMs, ...given.seen } }));
  }, RUNNING);
}

export function conditionIn(status: EtcdClusterStatus, type: string): Condition {
  const condition = status.conditions?.find((each) => each.type === type);
  assert.ok(condition, `no condition ${type}`);
  return condition;
}

/** "True MajorityHealthy" */
export function verdictIn(status: EtcdClusterStatus, type: string): string {
  const { status: isTrue, reason } = conditionIn(status, type);
  return `${isTrue} ${reason}`;
}
