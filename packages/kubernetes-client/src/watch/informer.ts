import type { KubeObject, Stored } from "../requests/kube-object.ts";
import { Cache, type CacheReader, type Change } from "./cache.ts";
import type { Indexer } from "./indexers.ts";
import { Reflector, type ReflectorOptions } from "./reflector.ts";

export interface InformerOptions<T extends KubeObject, Index extends string> extends Omit<ReflectorOptions<T>, "keep"> {
  readonly indexers?: Readonly<Record<Index, Indexer<T>>>;
  /**
   * What to keep of an object, which may be changed; `like` is in the cache, or was: its last state, or else another
   * one.
   */
  readonly transform?: (object: Stored<T>, like: Stored<T> | undefined) => Stored<T>;
}

/** A cache that follows the API server, and tells of what changes. */
export class Informer<T extends KubeObject, Index extends string = never> {
  readonly #cache: Cache<T, Index>;
  readonly #reflector: Reflector<T>;
  readonly #handlers = new Set<(change: Change<T>) => void>();
  readonly #transform: NonNullable<InformerOptions<T, Index>["transform"]>;
  readonly #onError: (error: unknown) => void;
  /** The last object that came. */
  #last: Stored<T> | undefined;

  constructor(options: InformerOptions<T, Index>) {
    const { transform = (object) => object, onError = () => undefined } = options;
    this.#transform = transform;
    this.#onError = onError;
    this.#cache = new Cache<T, Index>(options.indexers);
    const keep = (object: Stored<T>) => this.#kept(object);
    this.#reflector = new Reflector(
      { ...options, keep },
      {
        replace: (items, resourceVersion) => this.#tell(this.#cache.replace(items, resourceVersion)),
        apply: (event) => this.#tell(this.#cache.apply(event)),
      },
    );
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

  #kept(object: Stored<T>): Stored<T> {
    this.#last = this.#transform(object, this.#cache.get(object.metadata) ?? this.#last);
    return this.#last;
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

/** A transform: managed fields are more than half of a cached pod, and nothing here reads them. */
export function withoutManagedFields<T extends KubeObject>(object: Stored<T>): Stored<T> {
  // Not by "delete": V8 makes a table of an object that loses a property, and that takes more memory.
  const { managedFields: _, ...metadata } = object.metadata;
  return Object.assign(object, { metadata });
}
