import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { WatchEvent } from "@etcd-operator/kubernetes-client/watch/watch-event.ts";
import type { Pod } from "kubernetes-types/core/v1.d.ts";

type PodEvent = WatchEvent<Pod>;

/** What happens to the pods of a namespace, as one or several watches of it tell. */
export class WatchedPods {
  readonly #listeners = new Set<(event: PodEvent) => void>();
  readonly #end = new AbortController();
  readonly #watchers: number;
  readonly #failed: Promise<never>;

  private constructor(client: KubeClient, namespace: string, resourceVersion: string, watchers: number) {
    this.#watchers = watchers;
    const { signal } = this.#end;
    const follow = async () => {
      for await (const event of client.watch(resources.pods, { namespace, resourceVersion, signal })) {
        for (const tell of this.#listeners) tell(event);
      }
      throw new Error(`a watch of the pods in ${namespace} ended`);
    };
    this.#failed = Promise.race(Array.from({ length: watchers }, follow));
    this.#failed.catch(() => undefined);
  }

  static async open(client: KubeClient, namespace: string, watchers = 1): Promise<WatchedPods> {
    const { resourceVersion } = await client.list(resources.pods, { namespace });
    return new WatchedPods(client, namespace, resourceVersion, watchers);
  }

  /** Resolves, with the time, when the last of the watches has told of such an event; each tells of it once. */
  async seen(isIt: (event: PodEvent) => boolean): Promise<number> {
    let listener: ((event: PodEvent) => void) | undefined;
    const byAll = new Promise<number>((resolve) => {
      let missing = this.#watchers;
      listener = (event) => {
        if (!isIt(event)) return;
        missing -= 1;
        if (missing === 0) resolve(performance.now());
      };
      this.#listeners.add(listener);
    });
    try {
      return await Promise.race([byAll, this.#failed]);
    } finally {
      if (listener) this.#listeners.delete(listener);
    }
  }

  close(): void {
    this.#end.abort();
  }
}

/** Tells events of a pod: that it runs, that it is gone. */
export function isRunning(name: string): (event: PodEvent) => boolean {
  return (event) =>
    event.type === "MODIFIED" && event.object.metadata.name === name && event.object.status?.phase === "Running";
}

export function isDeleted(name: string): (event: PodEvent) => boolean {
  return (event) => event.type === "DELETED" && event.object.metadata.name === name;
}
