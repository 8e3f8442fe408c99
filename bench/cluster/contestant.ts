import { setTimeout as pause } from "node:timers/promises";
import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { labelSelector } from "@etcd-operator/operator/api/cluster/cluster-names.ts";
import type { ManifestOptions } from "@etcd-operator/testing/scenario/cluster/a-manifest.ts";
import { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { WatchedWorld } from "./watched-world.ts";

/** What kind of cluster is made, and thereby what it means to heal it. */
export interface Kind {
  readonly bootstrap: "Sequential" | "Parallel";
  /** On claims a member that lost its pod comes back with its data; in an emptyDir another takes its place. */
  readonly claims: boolean;
  readonly size: number;
}

/** What a member is to the others. */
export type Role = "leader" | "follower";

/** Makes a cluster and maintains it; all durations are in milliseconds. */
export interface Contestant {
  /** The one that was created last. */
  readonly cluster: MeasuredCluster;
  /** What does not count as a part of a creation. */
  prepare(): Promise<void>;
  create(): Promise<number>;
  /** Deletes the pod of a member, and sees to it that there are as many again. */
  heal(role: Role): Promise<number>;
  resize(size: number): Promise<number>;
  /** Brings every member to another version. */
  roll(version: string): Promise<number>;
  /** Removes the cluster, and returns when it is gone. */
  remove(): Promise<void>;
}

export const VERSION = "3.5.16";

/** The same cluster for both; nothing of it stays. */
export function optionsOf({ bootstrap, claims, size }: Kind, namespace: string): ManifestOptions {
  return { namespace, bootstrap, claims, size, version: VERSION, ...(claims && { whenDeleted: "Delete" }) };
}

// etcd takes no new member before all voters have been connected for 5 s. That belongs to a creation, but not to
// healing a cluster that has been there for a while.
const REST_MS = 6_000;

/** A cluster in the middle of a measurement, by hand or by the operator. */
export class MeasuredCluster extends ClusterUnderTest {
  readonly #kubernetes: KubeClient;
  #changedAt = performance.now();

  constructor({ client }: WatchedWorld, namespace: string, name: string) {
    super(client, { namespace, name });
    this.#kubernetes = client;
  }

  /** How long something took that changed the members. */
  async timed(change: () => Promise<unknown>): Promise<number> {
    const started = performance.now();
    await change();
    this.#changedAt = performance.now();
    return this.#changedAt - started;
  }

  /**
   * Resolves when the last change is long enough ago for etcd to let the cluster heal; who comes back on its claim
   * changes nothing.
   */
  async restedFor({ claims }: Kind): Promise<void> {
    if (claims) return;
    await pause(Math.max(0, this.#changedAt + REST_MS - performance.now()));
  }

  /**
   * The pod of a member in that role, and that of another, which leads unless it is the leader that is lost. Waits
   * while there is no leader.
   */
  async lostAndSurvivor(role: Role): Promise<{ readonly lost: Stored<Pod>; readonly survivor: Stored<Pod> }> {
    const { leader, followers } = await this.roles();
    const [follower] = followers;
    if (!follower) throw new Error(`${this.name} has no follower`);
    return role === "leader" ? { lost: leader, survivor: follower } : { lost: follower, survivor: leader };
  }

  /** Removes the cluster and returns when it is gone. Its members need no time to say goodbye to each other. */
  async end(): Promise<void> {
    await this.delete();
    const selection = { namespace: this.namespace, labelSelector: labelSelector(this.name) };
    await this.#kubernetes.deleteCollection(resources.pods, { ...selection, gracePeriodSeconds: 0 });
    await this.isGone();
  }
}
