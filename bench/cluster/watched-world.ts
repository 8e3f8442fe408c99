import type { KubeClient, ObjectRef, Stored } from "@etcd-operator/kubernetes-client";
import { Informer, resources } from "@etcd-operator/kubernetes-client";
import type { Endpoints, Pod } from "kubernetes-types/core/v1.d.ts";

const PATIENCE_MS = 120_000;

/**
 * The pods of a machine's local mode and who of them is open to clients, as watches tell: so that waiting costs no
 * requests.
 */
export class WatchedWorld {
  readonly client: KubeClient;
  readonly #pods: Informer<Pod>;
  readonly #endpoints: Informer<Endpoints>;
  readonly #end = new AbortController();
  readonly #looks = new Set<() => void>();

  static async open(client: KubeClient): Promise<WatchedWorld> {
    const world = new WatchedWorld(client);
    await Promise.all([world.#pods.cache.waitForSync(), world.#endpoints.cache.waitForSync()]);
    return world;
  }

  private constructor(client: KubeClient) {
    this.client = client;
    this.#pods = new Informer<Pod>({ client, resource: resources.pods });
    this.#endpoints = new Informer<Endpoints>({ client, resource: resources.endpoints });
    for (const informer of [this.#pods, this.#endpoints]) {
      informer.onChange(() => {
        for (const look of this.#looks) look();
      });
      void informer.run(this.#end.signal);
    }
  }

  pod(ref: ObjectRef): Stored<Pod> | undefined {
    return this.#pods.cache.get(ref);
  }

  /** The addresses that a Service leads clients to, with the pods behind them. */
  addresses(service: ObjectRef): readonly { readonly ip: string; readonly podUid: string }[] {
    const { subsets = [] } = this.#endpoints.cache.get(service) ?? {};
    return subsets
      .flatMap(({ addresses = [] }) => addresses)
      .map(({ ip, targetRef }) => ({ ip, podUid: targetRef?.uid ?? "" }));
  }

  /** Looks after every change, until there is something to see. */
  async until<Seen>(what: string, look: () => Seen | undefined): Promise<Seen> {
    const { promise, resolve, reject } = promiseParts<Seen>();
    const tryIt = () => {
      const seen = look();
      if (seen !== undefined) resolve(seen);
    };
    const impatience = setTimeout(() => reject(new Error(`gave up waiting for ${what}`)), PATIENCE_MS);
    this.#looks.add(tryIt);
    try {
      tryIt();
      return await promise;
    } finally {
      clearTimeout(impatience);
      this.#looks.delete(tryIt);
    }
  }

  close(): void {
    this.#end.abort();
  }
}

function promiseParts<Value>() {
  let [resolve, reject] = [(_: Value) => {}, (_: Error) => {}];
  const promise = new Promise<Value>((yes, no) => {
    [resolve, reject] = [yes, no];
  });
  return { promise, resolve, reject };
}
