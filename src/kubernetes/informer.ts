import { Cache, type CacheReader, type Change } from "./cache.ts";
import type { Indexer } from "./indexers.ts";
import type { KubeObject, Stored } from "./kube-object.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";
import type { WatchEvent } from "./watch-event.ts";

export interface InformerOptions<T extends KubeObject, Index extends string> extends ReflectorOptions<T> {
  readonly indexers?: Readonly<Record<Index, Indexer<T>>>;
  /** What to keep of an object; for dropping what is large and never read. */
  readonly transform?: (object: Stored<T>) => Stored<T>;
}

/** A cache that follows the API server, and tells of what changes. */
export class Informer<T extends KubeObject, Index extends string = never> {
  readonly #cache: Cache<T, Index>;
  readonly #reflector: Reflector<T>;
  readonly #handlers = new Set<(change: Change<T>) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(options: InformerOptions<T, Index>) {
    const { transform = (object) => object, onError = () => undefined } = options;
    this.#onError = onError;
    this.#cache = new Cache<T, Index>(options.indexers);
    this.#reflector = new Reflector(options, {
      replace: (items, resourceVersion) => this.#tell(this.#cache.replace(items.map(transform), resourceVersion)),
      apply: (event) => this.#tell(this.#cache.apply(transformed(event, transform))),
    });
  }

  get cache(): CacheReader<T, Index> {
    return this.#cache;
  }

  /** Hears of every change, and first of all that is there already; returns what ends it. */
  onChange(handler: (change: Change<T>) => void): () => void {
    for (const object of this.#cache.list()) this.#handle(handler, { type: "added", object });
    if (this.#cache.hasSynced) this.#handle(handler, { type: "synced" });
    this.#handlers.add(handler);
    return () => this.#handlers.delete(handler);
  }

  /** Follows until the signal aborts; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    await this.#reflector.run(signal);
  }

  #tell(changes: readonly Change<T>[]): void {
    for (const change of changes) for (const handler of this.#handlers) this.#handle(handler, change);
  }

  #handle(handler: (change: Change<T>) => void, change: Change<T>): void {
    try {
      handler(change);
    } catch (error) {
      // A handler that fails must not keep the others, or the cache, from what comes next.
      this.#onError(error);
    }
  }
}

function transformed<T extends KubeObject>(
  event: WatchEvent<T>,
  transform: (object: Stored<T>) => Stored<T>,
): WatchEvent<T> {
  return event.type === "BOOKMARK" ? event : { ...event, object: transform(event.object) };
}

/** A transform: managed fields are more than half of a cached pod, and nobody here reads them. */
export function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  delete object.metadata.managedFields;
  return object;
}
