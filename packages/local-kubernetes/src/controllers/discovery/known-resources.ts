import type { Change, KubeObject, Resource } from "@etcd-operator/kubernetes-client";
import { hasCode, Informer } from "@etcd-operator/kubernetes-client";
import type { ControllerContext } from "../controller-context.ts";
import { sharedInformer } from "../informers.ts";
import { WorkQueue } from "../work-queue.ts";
import { apiResources, definedResource, isEstablished } from "./api-resources.ts";

type Follower = (resource: Resource, change: Change<KubeObject>) => void;

interface Known {
  readonly resource: Resource;
  readonly informer: Informer<KubeObject> | undefined;
  readonly stop: AbortController;
}

/**
 * Every kind that the API server has, new ones as soon as they are served; and everything that happens to their
 * objects.
 */
export class KnownResources {
  readonly #context: ControllerContext;
  readonly #known = new Map<string, Known>();
  readonly #byKind = new Map<string, Resource>();
  readonly #followers = new Set<Follower>();
  #isComplete = false;
  #hasSynced = false;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** Hears of every change of any object from now on. */
  follow(follower: Follower): void {
    this.#followers.add(follower);
  }

  start(): void {
    const { client, informers, signal, log } = this.#context;
    const queue = new WorkQueue({
      name: "discovery",
      signal,
      log,
      work: async () => {
        for (const resource of await apiResources(client, signal)) this.#add(resource);
        this.#isComplete = true;
        return undefined;
      },
    });
    queue.add("all");
    // What a definition says is true before discovery tells of it.
    informers.customResourceDefinitions.onChange((change) => {
      if (change.type === "synced") return;
      const resource = definedResource(change.object);
      if (resource && change.type === "deleted") this.#remove(resource);
      else if (resource && isEstablished(change.object)) this.#add(resource);
    });
  }

  get all(): readonly Resource[] {
    return [...this.#known.values()].map(({ resource }) => resource);
  }

  /**
   * Whether all that was there at the start has been seen; a kind that comes later and cannot be listed holds up
   * nothing.
   */
  get hasSynced(): boolean {
    const all = [...this.#known.values()];
    this.#hasSynced ||= this.#isComplete && all.every(({ informer }) => informer?.cache.hasSynced ?? true);
    return this.#hasSynced;
  }

  /** Also finds a kind that is gone: its owners are, too, and that has to be asked somewhere. */
  find(apiVersion: string, kind: string): Resource | undefined {
    return this.#byKind.get(`${groupOf(apiVersion)}/${kind}`);
  }

  #add(resource: Resource): void {
    const key = `${resource.group}/${resource.plural}`;
    if (this.#known.has(key)) return;
    const stop = new AbortController();
    this.#context.signal.addEventListener("abort", () => stop.abort(), { once: true });
    const informer = this.#informerOf(resource, stop.signal);
    this.#known.set(key, { resource, informer, stop });
    this.#byKind.set(`${resource.group}/${resource.kind}`, resource);
    informer?.onChange((change) => {
      for (const follower of this.#followers) follower(resource, change);
    });
  }

  #informerOf(resource: Resource, signal: AbortSignal): Informer<KubeObject> | undefined {
    const { client, informers, log } = this.#context;
    // Events own nothing and have no owner, but come in swarms.
    if (resource.plural === "events") return undefined;
    const shared = sharedInformer(informers, resource);
    if (shared) return shared;
    const onError = (error: unknown) => {
      // How a watch ends when its kind is removed, which may show here before the end of the definition does; and what
      // a server says of one that was just made or changed: its storage is being set up. The informer asks again in any
      // case.
      if (!hasCode(error, "gone", "not-found", "too-many-requests"))
        log(`cannot follow ${resource.plural}: ${String(error)}`);
    };
    const informer = new Informer<KubeObject>({ client, resource, onError });
    void informer.run(signal);
    return informer;
  }

  #remove(resource: Resource): void {
    const key = `${resource.group}/${resource.plural}`;
    const known = this.#known.get(key);
    this.#known.delete(key);
    known?.stop.abort();
    for (const object of known?.informer?.cache.list() ?? []) {
      for (const follower of this.#followers) follower(resource, { type: "deleted", object });
    }
  }
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "";
}
