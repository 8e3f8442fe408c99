import type { KubeClient, KubeObject, Resource, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { EtcdCluster } from "@etcd-operator/operator/api/etcd-cluster.ts";
import { ETCD_CONTAINER } from "@etcd-operator/operator/cluster/objects/pod/pod.ts";
import { ownResources } from "@etcd-operator/operator/objects/own-resources.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { OPERATOR_KINDS } from "../local-world/operator-kinds.ts";
import type { ObjectEvent } from "../world/stored-objects.ts";
import { SecretsSeen } from "./secrets-seen.ts";

/** Everything that happens to objects of all namespaces, as an API server reports it. */
export class ObjectHistory {
  readonly #namespaces = new Map<string, NamespaceHistory>();
  /** Why it is not complete, if it is not. */
  trouble: unknown;

  static async begin(client: KubeClient, signal: AbortSignal): Promise<ObjectHistory> {
    const history = new ObjectHistory();
    for (const kind of [...OPERATOR_KINDS, resources.events]) {
      const { resourceVersion } = await client.list(kind);
      void history.#follow(client, kind, resourceVersion, signal);
    }
    return history;
  }

  of(namespace: string): NamespaceHistory {
    const known = this.#namespaces.get(namespace) ?? new NamespaceHistory();
    this.#namespaces.set(namespace, known);
    return known;
  }

  async #follow(client: KubeClient, kind: Resource, from: string, signal: AbortSignal): Promise<void> {
    let resourceVersion = from;
    try {
      while (!signal.aborted) {
        // An API server ends a watch after a while; the next begins where it ended.
        for await (const event of client.watch(kind, { resourceVersion, allowWatchBookmarks: true, signal })) {
          if (event.type === "BOOKMARK") {
            resourceVersion = event.resourceVersion;
            continue;
          }
          resourceVersion = event.object.metadata.resourceVersion;
          this.of(event.object.metadata.namespace ?? "").add(kind.plural, event.type, event.object);
        }
      }
    } catch (error) {
      if (!signal.aborted) this.trouble ??= error;
    }
  }
}

type Told = "ADDED" | "MODIFIED" | "DELETED";
const KIND_OF: Readonly<Record<Told, ObjectEvent["kind"]>> = {
  ADDED: "created",
  MODIFIED: "changed",
  DELETED: "deleted",
};

/** The objects of a namespace, and what happened to them. */
export class NamespaceHistory {
  readonly #objects = new Map<string, { readonly plural: string; readonly since: bigint; readonly object: Stored }>();
  readonly events: Omit<ObjectEvent, "value">[] = [];
  /** Each of every cluster. */
  readonly clusterIds: string[] = [];
  readonly clusterVersions: Stored<EtcdCluster>[] = [];
  /** Pods in which etcd was seen to run. */
  readonly cameUp = new Set<string>();
  readonly secrets = new SecretsSeen();

  add(plural: string, told: Told, object: Stored): void {
    if (told !== "DELETED") this.secrets.add(plural, object);
    // They come at any time, and only count where they reveal a secret.
    if (plural === resources.events.plural) return;
    const { name, resourceVersion } = object.metadata;
    const [key, revision] = [`${plural}/${name}`, BigInt(resourceVersion)];
    this.events.push({ kind: KIND_OF[told], plural, name, revision });
    const since = this.#objects.get(key)?.since ?? revision;
    if (told === "DELETED") this.#objects.delete(key);
    else this.#objects.set(key, { plural, since, object });
    if (plural === ownResources.etcdClusters.plural && told !== "DELETED")
      this.#noteCluster(object as Stored<EtcdCluster>);
    if (plural === resources.pods.plural && ranEtcd(object as Stored<Pod>)) this.cameUp.add(name);
  }

  /** Those of a kind, the oldest first. */
  of<T extends KubeObject>({ plural }: Resource<T>): Stored<T>[] {
    // The caller knows what kind it is.
    return this.named(plural) as Stored<T>[];
  }

  named(plural: string): Stored[] {
    const found = [...this.#objects.values()].filter((each) => each.plural === plural);
    return found.sort((one, other) => Number(one.since - other.since)).map(({ object }) => object);
  }

  get plurals(): readonly string[] {
    return [...new Set([...this.#objects.values()].map(({ plural }) => plural))].sort();
  }

  /** The newest revision that was reported. */
  get revision(): bigint {
    return this.events.reduce((newest, { revision }) => (revision > newest ? revision : newest), 0n);
  }

  #noteCluster(cluster: Stored<EtcdCluster>): void {
    this.clusterVersions.push(cluster);
    const { clusterID } = cluster.status ?? {};
    if (clusterID && this.clusterIds.at(-1) !== clusterID) this.clusterIds.push(clusterID);
  }
}

function ranEtcd({ status }: Pod): boolean {
  const etcd = status?.containerStatuses?.find(({ name }) => name === ETCD_CONTAINER);
  return Boolean(etcd?.state?.running ?? etcd?.state?.terminated ?? etcd?.lastState?.terminated);
}
