import { setTimeout as pause } from "node:timers/promises";
import type { EtcdClient, Watch, WatchEvent } from "@etcd-operator/etcd-client";
import { EtcdError, prefixEnd } from "@etcd-operator/etcd-client";
import { ApiError } from "../api-error.ts";
import type { Change, ChangeListener } from "./change.ts";
import { ChangeWindow } from "./change-window.ts";
import type { Entry } from "./entry.ts";
import { Listeners } from "./listeners.ts";
import { type ObjectStore, toEntry } from "./object-store.ts";
import { RevisionGate } from "./revision-gate.ts";
import { SortedEntries } from "./sorted-entries.ts";

const WINDOW = 1000;
const PAGE = 1000;
const RETRY_MS = 200;
const READY_TIMEOUT_MS = 10_000;
const FRESH_TIMEOUT_MS = 3_000;

/**
 * All objects of one resource in memory, followed by one etcd watch that every watcher of the API shares. Its revision
 * only moves when everything up to it has been told, so what it holds at that revision is what etcd held.
 */
export class WatchCache {
  readonly #store: ObjectStore;
  readonly #etcd: EtcdClient;
  readonly #prefix: string;
  readonly #listeners: Listeners;
  readonly #gate = new RevisionGate(() => this.#watch?.requestProgress());
  #entries = new SortedEntries();
  #window = new ChangeWindow(WINDOW, 0n);
  #watch: Watch | undefined;
  #isLoaded = false;

  constructor(store: ObjectStore, etcd: EtcdClient, prefix: string) {
    this.#store = store;
    this.#etcd = etcd;
    this.#prefix = prefix;
    this.#listeners = new Listeners(prefix);
  }

  /** Loads and follows until the signal; what fails is tried again. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!this.#isLoaded) await this.#load();
        await this.#follow(signal);
      } catch (error) {
        if (error instanceof EtcdError && error.code === "compacted") this.#forget();
        await pause(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
    this.#forget();
  }

  get revision(): bigint {
    return this.#gate.revision;
  }

  async ready(): Promise<void> {
    if (this.#isLoaded || (await this.#gate.reaches(1n, READY_TIMEOUT_MS))) return;
    throw new ApiError(503, "ServiceUnavailable", "the store does not answer");
  }

  /** Waits until the cache has seen everything that is in the store now. */
  async fresh(): Promise<void> {
    const [newest] = await Promise.all([this.#store.revision(), this.ready()]);
    if (!(await this.reaches(newest))) throw new ApiError(504, "Timeout", "Timeout: the store's changes are late");
  }

  async reaches(revision: bigint, timeoutMs = FRESH_TIMEOUT_MS): Promise<boolean> {
    return this.#gate.reaches(revision, timeoutMs);
  }

  /** Lets `revision` catch up with the store even when nothing of this resource changes. */
  requestProgress(): void {
    this.#watch?.requestProgress();
  }

  get(key: string): Entry | undefined {
    return this.#entries.get(key);
  }

  /** Entries whose key starts with `prefix`, in order. */
  under(prefix: string): Entry[] {
    return this.#entries.under(prefix);
  }

  /**
   * Tells `listener` of every change after `revision`, those already known at once. False: it is too far behind for
   * what is kept here.
   */
  listen(listener: ChangeListener, revision: bigint): boolean {
    const missed = this.#window.after(revision);
    if (!missed) return false;
    this.#listeners.add(listener);
    for (const change of missed) listener.changed(change);
    return true;
  }

  unlisten(listener: ChangeListener): void {
    this.#listeners.delete(listener);
  }

  async #load(): Promise<void> {
    const entries = new SortedEntries();
    let page = await this.#store.page({ prefix: this.#prefix, limit: PAGE });
    const { revision } = page;
    for (;;) {
      for (const entry of page.entries) entries.set(kept(entry));
      const last = page.entries.at(-1);
      if (page.remaining === 0 || !last) break;
      page = await this.#store.page({ prefix: this.#prefix, from: `${last.key}\0`, limit: PAGE, revision });
    }
    this.#entries = entries;
    this.#window = new ChangeWindow(WINDOW, revision);
    this.#isLoaded = true;
    this.#gate.advance(revision);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const startRevision = this.revision + 1n;
    this.#watch = this.#etcd.watch({ key: this.#prefix, rangeEnd: prefixEnd(this.#prefix), startRevision }, { signal });
    for await (const message of this.#watch) {
      if (message.kind === "created") continue;
      if (message.kind === "progress") {
        this.#gate.advance(message.revision);
        continue;
      }
      for (const event of message.events) this.#apply(event);
      // Not the message's own revision: while a watch catches up, etcd sends its events in parts.
      this.#gate.advance(message.events.at(-1)?.keyValue.modRevision ?? 0n);
    }
  }

  #apply({ kind, keyValue }: WatchEvent): void {
    const now = kept(toEntry(keyValue));
    const before = this.#entries.get(now.key);
    if (kind === "delete") this.#entries.delete(now.key);
    else this.#entries.set(now);
    const change = changeOf(now.revision, kind === "put" ? now : undefined, before);
    this.#window.add(change);
    this.#listeners.tell(now.key, change);
  }

  #forget(): void {
    this.#isLoaded = false;
    this.#gate.reset();
    this.#listeners.lose();
  }
}

function changeOf(revision: bigint, now: Entry | undefined, before: Entry | undefined): Change {
  if (now && before) return { revision, now, before };
  return now ? { revision, now } : before ? { revision, before } : { revision };
}

/**
 * A copy of its own: what came from etcd is part of a whole message, which would stay in memory as long as any of its
 * objects.
 */
function kept(entry: Entry): Entry {
  const value = Buffer.allocUnsafeSlow(entry.value.length);
  entry.value.copy(value);
  return { key: entry.key, value, revision: entry.revision };
}
