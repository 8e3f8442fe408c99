import { setTimeout as pause } from "node:timers/promises";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { labelSelector } from "../../src/api/cluster-names.ts";
import type { Stored } from "../../src/kubernetes/kube-object.ts";
import { resources } from "../../src/kubernetes/resources.ts";
import type { KubeClient } from "../../src/kubernetes/rest-client.ts";
import type { ManifestOptions } from "../../test/support/scenario/a-manifest.ts";
import { ClusterUnderTest } from "../../test/support/scenario/cluster-under-test.ts";
import type { WatchedWorld } from "./watched-world.ts";

/** What kind of cluster is made, and thereby what it means to heal it. */
export interface Kind {
  readonly bootstrap: "Sequential" | "Parallel";
  /** On claims a member that lost its pod comes back with its data; in an emptyDir another takes its place. */
  readonly claims: boolean;
}

/** Somebody who makes a cluster of three and heals it; both are told in milliseconds. */
export interface Contestant {
  create(): Promise<number>;
  /** Deletes the pod of a follower, and sees to it that there are three again. */
  heal(): Promise<number>;
  /** Removes the cluster, and returns when it is gone. */
  remove(): Promise<void>;
}

export const VERSION = "3.5.16";

/** The same cluster for both; nothing of it stays. */
export function optionsOf({ bootstrap, claims }: Kind, namespace: string): ManifestOptions {
  return { namespace, bootstrap, claims, version: VERSION, ...(claims && { whenDeleted: "Delete" }) };
}

// etcd takes no new member before all voters have been connected for 5 s. That belongs to a creation, but not to healing a cluster
// that has been there for a while.
const REST_MS = 6_000;

/** A cluster in the middle of a measurement, whoever looks after it. */
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

  /** Resolves when the last change is long enough ago for etcd to let the cluster heal; who comes back on its claim changes nothing. */
  async restedFor({ claims }: Kind): Promise<void> {
    if (claims) return;
    await pause(Math.max(0, this.#changedAt + REST_MS - performance.now()));
  }

  /** Waits while nobody leads. */
  async leaderAndFollower(): Promise<{ readonly leader: Stored<Pod>; readonly follower: Stored<Pod> }> {
    const { leader, followers } = await this.roles();
    const [follower] = followers;
    if (!follower) throw new Error(`${this.name} has no follower`);
    return { leader, follower };
  }

  /** Removes the cluster and returns when it is gone. Its members need no time to say goodbye to each other. */
  async end(): Promise<void> {
    await this.delete();
    const selection = { namespace: this.namespace, labelSelector: labelSelector(this.name) };
    await this.#kubernetes.deleteCollection(resources.pods, { ...selection, gracePeriodSeconds: 0 });
    await this.isGone();
  }
}
