import type { KubeClient } from "@etcd-operator/kubernetes-client";
import {
  type Clock,
  hasCode,
  idleTimer,
  keyOf,
  type LinkedAbort,
  linkedAbort,
  type ObjectRef,
  pause,
  resources,
} from "@etcd-operator/kubernetes-client";

export interface SecretWatchesOptions {
  readonly client: Pick<KubeClient, "watch">;
  readonly clock: Clock;
  /** A Secret is another one than it was before. */
  readonly changed: (ref: ObjectRef) => void;
}

/** Each is a connection to the API server; Secrets beyond these are only read once a minute. */
const MOST_WATCHES = 48;
/** A missing permission may be granted later. */
const FORBIDDEN_MS = 600_000;
const BACK_OFF_MS = 30_000;
const WATCH_SECONDS = 600;
/** The API server sends a bookmark every minute. */
const STALL_MS = 180_000;

/**
 * Watches Secrets, each by its name, where the operator has the right to: a Role that names them in `resourceNames`
 * gives it, because the API server takes the name from the field selector. Where it has not, nothing is said and
 * nothing lost: they are read once a minute, too.
 */
export class SecretWatches {
  readonly #options: SecretWatchesOptions;
  readonly #watches = new Map<string, LinkedAbort>();
  readonly #forbiddenUntilMs = new Map<string, number>();

  constructor(options: SecretWatchesOptions) {
    this.#options = options;
  }

  /** Watches these, and no others any more. */
  keepOnly(refs: readonly ObjectRef[], signal: AbortSignal): void {
    const wanted = new Map(refs.map((ref) => [keyOf(ref), ref]));
    for (const [key, watch] of this.#watches) if (!wanted.has(key)) watch.abort();
    for (const key of this.#forbiddenUntilMs.keys()) if (!wanted.has(key)) this.#forbiddenUntilMs.delete(key);
    for (const [key, ref] of wanted) if (this.#mayBegin(key)) this.#begin(key, ref, signal);
  }

  #mayBegin(key: string): boolean {
    if (this.#watches.has(key) || this.#watches.size >= MOST_WATCHES) return false;
    return (this.#forbiddenUntilMs.get(key) ?? 0) <= this.#options.clock.monotonic();
  }

  #begin(key: string, ref: ObjectRef, signal: AbortSignal): void {
    const watch = linkedAbort(signal);
    this.#watches.set(key, watch);
    void this.#follow(key, ref, watch.signal).finally(() => {
      watch.unlink();
      this.#watches.delete(key);
    });
  }

  async #follow(key: string, ref: ObjectRef, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let version: string | undefined;
    const learn = (now: string) => {
      if (version !== undefined && version !== now) this.#options.changed(ref);
      version = now;
    };
    while (!signal.aborted) {
      try {
        await this.#watch(ref, learn, signal);
      } catch (error) {
        if (hasCode(error, "forbidden")) {
          this.#forbiddenUntilMs.set(key, clock.monotonic() + FORBIDDEN_MS);
          return;
        }
      }
      // Also after one that ended in peace: whatever the API server does, no more than two a minute.
      await pause(clock, BACK_OFF_MS, signal);
    }
  }

  async #watch(ref: ObjectRef, learn: (version: string) => void, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#options;
    const abort = linkedAbort(signal);
    const idle = idleTimer(clock, STALL_MS, abort.abort);
    try {
      // Without a version to begin at, the first event is the Secret as it is.
      const events = client.watch(resources.secrets, {
        namespace: ref.namespace,
        fieldSelector: `metadata.name=${ref.name}`,
        allowWatchBookmarks: true,
        timeoutSeconds: WATCH_SECONDS,
        signal: abort.signal,
      });
      for await (const event of events) {
        idle.touch();
        if (event.type === "BOOKMARK") continue;
        const { uid, resourceVersion } = event.object.metadata;
        learn(event.type === "DELETED" ? "gone" : `${uid} ${resourceVersion}`);
      }
    } finally {
      idle.stop();
      abort.unlink();
    }
  }
}
