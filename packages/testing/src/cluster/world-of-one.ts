import type { Pass } from "@etcd-operator/controller-runtime";
import { createLogger } from "@etcd-operator/controller-runtime";
import { KubernetesError, type KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import type { EtcdClusterStatus } from "@etcd-operator/operator/api/etcd-cluster.ts";
import type { Action, ActionOutcome } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { stallOf } from "@etcd-operator/operator/cluster/model/stalls.ts";
import type { ClusterEvent } from "@etcd-operator/operator/cluster/reasons.ts";
import { type ClusterSteps, clusterReconciler } from "@etcd-operator/operator/cluster/reconcile.ts";
import { FakeClock } from "../kubernetes/fake-clock.ts";
import { anObservation } from "./an-observation.ts";

const KEY = "prod/example";
export const DONE: ActionOutcome = { kind: "done" };
export const none = { kind: "none", reason: "UpToDate", message: "all is well" } as const satisfies Action;
export const hold = { kind: "hold", reason: "Paused", message: "the user holds it" } as const satisfies Action;
export const join = {
  kind: "declare-join",
  name: "d",
  reason: "ScalingUp",
  message: "d comes next",
} as const satisfies Action;
const signal = new AbortController().signal;

/** A world of one cluster, in which each step does what the test says. */
export class World {
  seen: Observation | undefined = anObservation();
  action: Action = none;
  /** What is planned when the members must not leave their minor. */
  barred: Action = none;
  /** What is planned behind an action that may be passed over. */
  behind: () => Action = () => none;
  isPassable = false;
  act: () => Promise<ActionOutcome> = async () => DONE;
  status: EtcdClusterStatus = { phase: "Running" };
  recheckMs: number | undefined;
  longestRestMs: number | undefined;
  isAtRest = false;
  writeFailure: Error | undefined;
  /** What happened, in order. */
  readonly story: string[] = [];
  readonly lines: { level: string; msg: string }[] = [];
  readonly written: EtcdClusterStatus[] = [];
  /** Those that the writes were meant for. */
  readonly versions: string[] = [];
  readonly clock = new FakeClock();
  readonly #reconcile = clusterReconciler(this.#steps());

  async pass() {
    const logger = createLogger({ level: "debug", write: (line) => this.lines.push(JSON.parse(line)) });
    return this.#reconcile(KEY, signal, { mustReadLive: false, writes: {} as Pass["writes"], logger });
  }

  #steps(): ClusterSteps {
    return {
      observe: async () => this.seen,
      plan: (seen) => {
        const passedOver = this.isPassable && (stallOf(this.action, seen)?.leftMs ?? 0) > 0;
        if (passedOver) return { action: this.behind(), passedOver: [this.action] };
        return { action: seen.minorBarred === undefined ? this.action : this.barred, passedOver: [] };
      },
      act: async (_, { kind }) => {
        this.story.push(`act ${kind}`);
        return this.act();
      },
      statusAfter: (_, { reason, message }) => ({ ...this.status, reason: `${reason}: ${message}` }),
      isWorthWriting: ({ cluster }, next) => cluster.status?.reason !== next.reason,
      writeStatus: async (seen, status) => {
        const { cluster } = seen;
        if (this.writeFailure) throw this.writeFailure;
        this.story.push("write");
        this.written.push(status);
        this.versions.push(cluster.metadata.resourceVersion);
        const metadata = { ...cluster.metadata, resourceVersion: `written-${this.written.length}` };
        return { ...seen, cluster: { ...cluster, metadata, status } };
      },
      eventsOf: (_, { reason, message }) => [{ type: "Normal", reason, message } as ClusterEvent],
      record: (_, { reason }) => this.story.push(`tell ${reason}`),
      recheckMs: () => this.recheckMs,
      rest: () => {
        if (!this.isAtRest) return undefined;
        return { kind: "rest", ...(this.longestRestMs !== undefined && { atMostMs: this.longestRestMs }) };
      },
      clock: this.clock,
    };
  }
}

export function failure(code: KubernetesErrorCode): KubernetesError {
  return new KubernetesError(code, { operation: "POST pods", message: `scripted ${code}` });
}
