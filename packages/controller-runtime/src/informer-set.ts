import type { Indexer, KubeClient, KubeObject, Selection } from "@etcd-operator/kubernetes-client";
import {
  type Clock,
  compactObject,
  hasCode,
  Informer,
  pathOf,
  type Resource,
  systemClock,
} from "@etcd-operator/kubernetes-client";
import type { Logger } from "./observability/logger.ts";
import type { WatchedCache } from "./own-writes.ts";

export interface InformerSetOptions {
  readonly client: Pick<KubeClient, "list" | "watch">;
  /** All namespaces when absent. */
  readonly namespace: string | undefined;
  readonly logger: Logger;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

interface Followed {
  readonly resource: Resource;
  readonly cache: WatchedCache & { readonly hasSynced: boolean; waitForSync(signal: AbortSignal): Promise<void> };
  run(signal: AbortSignal): Promise<void>;
  /** Why it has not synced; undefined while it has not failed. */
  failure: unknown;
}

/**
 * The informers of one controller, within its scope. They follow only while the controller leads: their first lists are
 * then newer than everything the last leader wrote before it gave its Lease back.
 */
export class InformerSet {
  readonly #options: InformerSetOptions;
  readonly #followed: Followed[] = [];
  #isRunning = false;

  constructor(options: InformerSetOptions) {
    this.#options = options;
  }

  /** One more informer; it begins with the others. */
  add<T extends KubeObject, Index extends string = never>(
    resource: Resource<T>,
    selection: Omit<Selection, "namespace"> & { readonly indexers?: Readonly<Record<Index, Indexer<T>>> } = {},
  ): Informer<T, Index> {
    if (this.#isRunning) throw new Error(`the informer of ${resource.plural} comes too late: the others run already`);
    const { client, namespace, logger, clock = systemClock, random = Math.random } = this.#options;
    const informer: Informer<T, Index> = new Informer<T, Index>({
      client,
      resource,
      namespace: resource.namespaced ? namespace : undefined,
      ...selection,
      transform: compactObject,
      clock,
      random,
      onListed: () => {
        if (isUnserved(followed)) logger.info({ resource: resource.plural }, "served again");
        followed.failure = undefined;
      },
      onError: (error) => {
        followed.failure = error;
        const why = isUnserved(followed) ? unserved(resource) : "watch failed, retrying after a pause";
        logger.warn({ err: error, resource: resource.plural }, why);
      },
    });
    const followed: Followed = {
      resource,
      cache: informer.cache,
      run: (signal) => informer.run(signal),
      failure: undefined,
    };
    this.#followed.push(followed);
    return informer;
  }

  /** Those that show objects of a kind. */
  cachesOf(resource: Resource): readonly WatchedCache[] {
    const path = pathOf(resource);
    return this.#followed.filter((each) => pathOf(each.resource) === path).map(({ cache }) => cache);
  }

  /** Follows until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    this.#isRunning = true;
    await Promise.all(this.#followed.map((each) => each.run(signal)));
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#followed.map(({ cache }) => cache.waitForSync(signal)));
  }

  /** What is not served or not listed yet, in words; undefined when all is there. */
  get complaint(): string | undefined {
    const gone = this.#followed.filter(isUnserved).map(({ resource }) => unserved(resource));
    if (gone.length > 0) return gone.join("; ");
    const missing = this.#followed.filter(({ cache }) => !cache.hasSynced);
    if (missing.length === 0) return undefined;
    const why = ({ failure }: Followed) => (failure instanceof Error ? ` (${failure.message})` : "");
    return `not listed yet: ${missing.map((each) => `${each.resource.plural}${why(each)}`).join(", ")}`;
  }
}

function isUnserved({ failure }: Followed): boolean {
  return hasCode(failure, "not-found");
}

/** Only a kind whose CRD is missing is not found. With it went all its objects, and what belonged to them. */
function unserved({ plural, group }: Resource): string {
  const name = [plural, group].filter(Boolean).join(".");
  return `Kubernetes does not serve ${name} any more: apply deploy/crd of this release if the CRD was deleted; the operator then goes on by itself`;
}
