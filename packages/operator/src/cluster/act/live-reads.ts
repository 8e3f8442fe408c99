import type { KubeClient, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { labelSelector, namespaceOf } from "../../api/cluster/cluster-names.ts";
import { ownResources } from "../../objects/own-resources.ts";
import type { Observation } from "../model/observation.ts";
import { awaitsNewImage } from "../observe/etcd-container.ts";
import { changeOfCluster } from "./cluster-change.ts";
import { type Postponed, postponed } from "./postponed.ts";

export type Reader = Pick<KubeClient, "get" | "list" | "create">;

/** What the API server says this moment, past all caches. */
export class LiveReads {
  readonly #client: Reader;
  readonly #seen: Observation;
  readonly #signal: AbortSignal;
  readonly #namespace: string;

  constructor(client: Reader, seen: Observation, signal: AbortSignal) {
    this.#client = client;
    this.#seen = seen;
    this.#signal = signal;
    this.#namespace = namespaceOf(seen.cluster);
  }

  /** Undefined while the cluster is still what the action was planned for. */
  async clusterHasChanged(): Promise<Postponed | undefined> {
    const { cluster } = this.#seen;
    const live = await this.find(ownResources.etcdClusters, cluster.metadata.name);
    const change = changeOfCluster(cluster, live);
    return change === undefined ? undefined : postponed(`EtcdCluster ${cluster.metadata.name} ${change}`);
  }

  async find<T extends KubeObject>(resource: Resource<T>, name: string): Promise<Stored<T> | undefined> {
    try {
      return await this.#client.get(resource, { namespace: this.#namespace, name }, { signal: this.#signal });
    } catch (error) {
      if (hasCode(error, "not-found")) return undefined;
      throw error;
    }
  }

  /** All objects of a kind that bear the labels of this cluster. */
  async labelled<T extends KubeObject>(resource: Resource<T>): Promise<readonly Stored<T>[]> {
    const selection = { namespace: this.#namespace, labelSelector: labelSelector(this.#seen.cluster.metadata.name) };
    return (await this.#client.list(resource, { ...selection, signal: this.#signal })).items;
  }

  /** Throws what the API server would refuse an object with. Nothing is written. */
  async rehearse<T extends KubeObject>(resource: Resource<T>, object: T): Promise<void> {
    await this.#client.create(resource, object, { dryRun: true, signal: this.#signal });
  }
}

/**
 * The names of pods that are terminating, or get another image: a member that answers from one of them will not for
 * long.
 */
export function leavingAmong(pods: readonly Stored<Pod>[]): ReadonlySet<string> {
  const leaving = pods.filter((pod) => pod.metadata.deletionTimestamp || awaitsNewImage(pod));
  return new Set(leaving.map(({ metadata }) => metadata.name));
}
