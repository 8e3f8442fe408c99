import type { CacheReader } from "@etcd-operator/kubernetes-client";
import {
  type Clock,
  type KubeObject,
  keyOf,
  linkedAbort,
  type ObjectRef,
  pathOf,
  type Resource,
  type Stored,
  systemClock,
} from "@etcd-operator/kubernetes-client";

/** As much of a cache as it takes to tell whether it has seen a write. */
export type WatchedCache = Pick<CacheReader<KubeObject>, "get" | "waitUntilSeen" | "waitUntilGone">;

export interface OwnWritesOptions {
  /** The caches that show objects of a kind; none for a kind that is only ever read live. */
  readonly cachesOf: (resource: Resource) => readonly WatchedCache[];
  /** How long a key waits for the caches before it goes on without them; 10 s. */
  readonly deadlineMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** Where the writer tells what it wrote during a pass. */
export interface WriteLog {
  /** Created or changed: the object as the API server returned it. */
  wrote(resource: Resource, written: Stored): void;
  /** Deleted: what the API server returned, which is the object itself while it still winds up. */
  deleted(resource: Resource, ref: ObjectRef & { readonly uid: string }, returned?: Stored): void;
  /** No answer came: the write may or may not have been applied, and no version tells when a cache has seen it. */
  leftOpen(): void;
}

interface Write {
  readonly resource: Resource;
  readonly ref: ObjectRef;
  readonly uid: string;
  /** Absent for an object that was gone at once. */
  readonly resourceVersion: string | undefined;
  readonly isDeletion: boolean;
}

/**
 * What each key's passes have written and the caches have not shown yet. A pass that does not see what the last one did
 * would do it again, so the key waits; but not for ever, because a watch may hang.
 */
export class OwnWrites {
  readonly #options: OwnWritesOptions;
  readonly #clock: Clock;
  /** By key, then by object: of several writes to one object only the newest has to be seen. */
  readonly #unseen = new Map<string, Map<string, Write>>();
  readonly #leftOpen = new Set<string>();

  constructor(options: OwnWritesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  logOf(key: string): WriteLog {
    return {
      wrote: (resource, { metadata }) => this.#add(key, writeOf(resource, metadata, metadata.resourceVersion, false)),
      deleted: (resource, ref, returned) =>
        this.#add(key, writeOf(resource, ref, returned?.metadata.resourceVersion, true)),
      leftOpen: () => this.#leftOpen.add(key),
    };
  }

  /**
   * Waits until the caches have seen all that was written for a key. "late": they have not, and the next pass reads
   * what it needs live; what is unseen stays on the list until they have.
   */
  async settle(key: string, signal: AbortSignal): Promise<"seen" | "late"> {
    const isOpen = this.#leftOpen.delete(key);
    const writes = this.#unseen.get(key);
    if (!writes) return isOpen ? "late" : "seen";
    const wait = linkedAbort(signal);
    const cancel = this.#clock.after(this.#options.deadlineMs ?? 10_000, () => wait.abort());
    const seen = [...writes].map(([id, write]) =>
      this.#isSeen(write, wait.signal).then((is) => is && writes.delete(id)),
    );
    await Promise.all(seen);
    cancel();
    wait.unlink();
    if (writes.size > 0) return "late";
    this.#unseen.delete(key);
    return isOpen ? "late" : "seen";
  }

  forget(key: string): void {
    this.#unseen.delete(key);
    this.#leftOpen.delete(key);
  }

  #add(key: string, write: Write): void {
    if (this.#options.cachesOf(write.resource).length === 0) return;
    const writes = this.#unseen.get(key) ?? new Map<string, Write>();
    this.#unseen.set(key, writes);
    writes.set(`${pathOf(write.resource)} ${keyOf(write.ref)}`, write);
  }

  async #isSeen(write: Write, signal: AbortSignal): Promise<boolean> {
    const caches = this.#options.cachesOf(write.resource);
    try {
      await Promise.all(caches.map((cache) => seenBy(cache, write, signal)));
      return true;
    } catch {
      // A wait ends in no other way than by the deadline or the end of the program.
      return false;
    }
  }
}

async function seenBy(cache: WatchedCache, write: Write, signal: AbortSignal): Promise<void> {
  const { ref, uid, resourceVersion, isDeletion } = write;
  if (resourceVersion !== undefined) await cache.waitUntilSeen(ref, resourceVersion, signal);
  if (!isDeletion) return;
  // An object that winds up, such as a pod with its grace period, stays for a while. One that went at once may have
  // been returned with the version that it had before, so the version alone proves nothing.
  const isWindingUp = resourceVersion !== undefined && cache.get(ref)?.metadata.deletionTimestamp !== undefined;
  if (!isWindingUp) await cache.waitUntilGone(ref, uid, signal);
}

function writeOf(
  resource: Resource,
  { namespace, name, uid }: ObjectRef & { readonly uid: string },
  resourceVersion: string | undefined,
  isDeletion: boolean,
): Write {
  return { resource, ref: { namespace, name }, uid, resourceVersion, isDeletion };
}
