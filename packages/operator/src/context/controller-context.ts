import type { Health, InformerSet, Logger } from "@etcd-operator/controller-runtime";
import type { Clock, EventRecorder, IsLeading, KubeClient, Resource, Stored } from "@etcd-operator/kubernetes-client";
import type { Metrics } from "./metrics.ts";

/** Which objects of our kinds are this operator's. */
export interface Scope {
  readonly kind: "namespaced" | "clusterwide";
  /** The namespace to watch; all namespaces when absent. */
  readonly namespace: string | undefined;
  /** The operator's own. */
  readonly home: string;
  covers(object: Pick<Stored, "metadata">): boolean;
}

/** What a controller works with. */
export interface ControllerContext {
  readonly client: KubeClient;
  /** Made before the controller runs, they are listed when it does. */
  readonly informers: InformerSet;
  readonly recorder: EventRecorder;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly scope: Scope;
  readonly isLeading: IsLeading;
  /** Why the CRD of a kind is too old for this operator, as far as that is known. */
  readonly outdatedCrd?: ((kind: string) => string | undefined) | undefined;
  readonly clock: Clock;
  readonly random: () => number;
}

export interface Controller {
  /** Runs until the signal aborts, and stops quickly then: the Lease is released afterwards. */
  run(signal: AbortSignal): Promise<void>;
}

/** How to create a controller; its name and needs are known before it is elected. */
export interface ControllerFactory {
  /** Such as "clusters"; part of the name of its Lease. */
  readonly name: string;
  /** Kinds of ours that have to be served before it can begin. */
  readonly needs: readonly Resource[];
  create(context: ControllerContext): Controller;
}
