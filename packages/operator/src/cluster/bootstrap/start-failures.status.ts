import { cut, rfc3339 } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Observation } from "../model/observation.ts";
import type { Situation } from "../model/situation.ts";

type StartFailures = NonNullable<EtcdClusterStatus["startFailures"]>;

/** The first failure may have been an accident; each one after it makes the next wait twice as long. */
const SECOND_DELAY_MS = 5_000;
const LAST_DELAY_MS = 300_000;

/**
 * Records failed attempts to start initial members or a joiner. The record outlasts the operator, and starts again
 * at one for an edited spec.
 */
export function afterStartFailure({ cluster, nowMs }: Observation, why: string): StartFailures {
  const { generation } = cluster.metadata;
  const old = cluster.status?.startFailures;
  const count = (old && old.generation === generation ? old.count : 0) + 1;
  const delayMs = count === 1 ? 0 : Math.min(LAST_DELAY_MS, SECOND_DELAY_MS * 2 ** Math.min(count - 2, 16));
  const times = { lastTime: rfc3339(nowMs), nextTime: rfc3339(nowMs + delayMs) };
  return { count, ...times, reason: cut(why), ...(generation !== undefined && { generation }) };
}

/** Whether one more failure is not the first of this spec. */
export function hasFailedBefore({ seen, status }: Situation): boolean {
  return status.startFailures !== undefined && status.startFailures.generation === seen.cluster.metadata.generation;
}

/** Why no new member is declared yet, and for how long; undefined when one may be. */
export function whyNotYet({
  seen,
  status,
}: Situation): { readonly message: string; readonly leftMs: number } | undefined {
  const { startFailures: failed } = status;
  if (!failed || failed.generation !== seen.cluster.metadata.generation) return undefined;
  const [lastMs, nextMs] = [Date.parse(failed.lastTime), Date.parse(failed.nextTime)];
  // Written by a clock that was ahead of ours, or before ours was set back: it says nothing.
  if (!(lastMs <= seen.nowMs) || nextMs <= seen.nowMs) return undefined;
  const message = `${failed.count} attempts have failed, the last because ${failed.reason}. The next attempt starts at ${failed.nextTime}, or when the spec is edited`;
  return { message, leftMs: nextMs - seen.nowMs };
}

/** Forgotten once all desired members vote. */
export function standingFailures({ status, voters, spec, isConfirmed }: Situation): StartFailures | undefined {
  const isComplete = Boolean(status.clusterID) && isConfirmed && voters.length >= spec.size;
  return isComplete ? undefined : status.startFailures;
}
