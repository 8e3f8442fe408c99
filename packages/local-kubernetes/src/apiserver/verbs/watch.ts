import type { ApiContext } from "../api-context.ts";
import { ApiError, expired } from "../api-error.ts";
import type { Change, ChangeListener } from "../storage/change.ts";
import { DecodedEntries } from "../storage/decoded-entries.ts";
import type { Entry } from "../storage/entry.ts";
import { historyAfter } from "../storage/history.ts";
import type { WatchCache } from "../storage/watch-cache.ts";
import { revisionOf } from "./list.ts";
import type { Selection } from "./selection.ts";

export type EventType = "ADDED" | "MODIFIED" | "DELETED";

/** Where the events of a watch go. */
export interface WatchSink {
  /** From now on nothing can be refused any more. */
  open(): void;
  event(type: EventType, entry: Entry, revision: bigint): void;
  bookmark(revision: bigint, isEndOfInitialEvents: boolean): void;
  error(error: ApiError): void;
}

const BOOKMARK_MS = 60_000;
const LAST_BOOKMARK_MS = 2_000;

/** Sends what happens to the objects of a selection until the signal or the end of `timeoutMs`. */
export async function watch(
  api: ApiContext,
  selection: Selection,
  query: URLSearchParams,
  sink: WatchSink,
  signal: AbortSignal,
): Promise<void> {
  const version = query.get("resourceVersion") ?? "";
  const revision = revisionOf(version);
  const cache = api.caches.of(selection.resource.prefix);
  await (version === "" ? cache.fresh() : cache.ready());
  const sendsInitial = query.get("sendInitialEvents");
  const begins = sendsInitial === null ? revision === 0n : sendsInitial === "true";
  if (begins && !(await cache.reaches(revision))) throw expired("Too large resource version");
  sink.open();
  const follower = new Follower(api, selection, cache, sink, signal);
  const wantsBookmarks = query.get("allowWatchBookmarks") === "true" || query.get("allowWatchBookmarks") === "1";
  const start = begins ? follower.sendInitial() : revision;
  if (sendsInitial === "true" && wantsBookmarks) sink.bookmark(cache.revision, true);
  await follower.run(start, wantsBookmarks, timeoutMsOf(query));
}

const DEFAULT_TIMEOUT_MS = 30 * 60_000;

// Without a timeout of the client's, half an hour to an hour, so that not all of them come back at once.
function timeoutMsOf(query: URLSearchParams): number {
  const seconds = Number(query.get("timeoutSeconds") ?? 0);
  return seconds > 0 ? seconds * 1000 : DEFAULT_TIMEOUT_MS * (1 + Math.random());
}

// Every watch with a selector looks at the same objects at the same moment.
const decoded = new DecodedEntries();

/** One watch of one client. */
class Follower implements ChangeListener {
  readonly prefix: string;
  readonly #api: ApiContext;
  readonly #selection: Selection;
  readonly #cache: WatchCache;
  readonly #sink: WatchSink;
  readonly #end = new AbortController();
  #requestProgress: () => void;
  #isOnCache = true;
  #seen = 0n;

  constructor(api: ApiContext, selection: Selection, cache: WatchCache, sink: WatchSink, signal: AbortSignal) {
    this.#api = api;
    this.#selection = selection;
    this.#cache = cache;
    this.#sink = sink;
    this.prefix = selection.prefix;
    this.#requestProgress = () => cache.requestProgress();
    if (signal.aborted) this.#end.abort();
    signal.addEventListener("abort", () => this.#end.abort(), { once: true });
  }

  /** Everything that exists, as added; the answer is the revision at which it does. */
  sendInitial(): bigint {
    for (const entry of this.#cache.under(this.#selection.prefix)) {
      if (this.#matches(entry)) this.#sink.event("ADDED", entry, entry.revision);
    }
    return this.#cache.revision;
  }

  async run(revision: bigint, wantsBookmarks: boolean, timeoutMs: number): Promise<void> {
    this.#seen = revision;
    const timers = [
      setTimeout(() => this.#end.abort(), timeoutMs),
      ...(wantsBookmarks ? this.#bookmarkTimers(timeoutMs) : []),
    ];
    try {
      if (this.#cache.listen(this, revision)) await ended(this.#end.signal);
      else await this.#followHistory(revision);
    } finally {
      for (const timer of timers) clearTimeout(timer);
      this.#cache.unlisten(this);
    }
  }

  changed(change: Change): void {
    this.#seen = change.revision;
    this.#tell(change);
  }

  lost(): void {
    this.#sink.error(expired("too old resource version: the changes since then are lost"));
    this.#end.abort();
  }

  #bookmarkTimers(timeoutMs: number): NodeJS.Timeout[] {
    const beforeEnd = Math.max(timeoutMs - LAST_BOOKMARK_MS, timeoutMs / 2);
    return [setInterval(() => this.#bookmark(), BOOKMARK_MS), setTimeout(() => this.#bookmark(), beforeEnd)];
  }

  #bookmark(): void {
    // The revision known now is told; a fresher one is asked for in time for the next bookmark.
    const revision = this.#isOnCache ? maxOf(this.#seen, this.#cache.revision) : this.#seen;
    this.#requestProgress();
    if (revision > 0n) this.#sink.bookmark(revision, false);
  }

  // The cache no longer knows what this watcher missed, so it gets an etcd watch of its own.
  async #followHistory(revision: bigint): Promise<void> {
    this.#isOnCache = false;
    const history = historyAfter(this.#api.etcd, this.prefix, revision, this.#end.signal);
    this.#requestProgress = () => history.requestProgress();
    try {
      for await (const message of history) {
        if (message.kind === "progress") this.#seen = maxOf(this.#seen, message.revision);
        else for (const change of message.changes) this.changed(change);
      }
    } catch (error) {
      if (this.#end.signal.aborted) return;
      if (error instanceof ApiError) this.#sink.error(error);
    }
  }

  #tell({ now, before, revision }: Change): void {
    if (!(now ?? before)?.key.startsWith(this.prefix)) return;
    const isNow = now !== undefined && this.#matches(now);
    const wasBefore = before !== undefined && this.#matches(before);
    if (isNow) this.#sink.event(wasBefore ? "MODIFIED" : "ADDED", now, revision);
    // Shown as it last matched, under the revision at which it ceased to.
    else if (wasBefore) this.#sink.event("DELETED", before, revision);
  }

  #matches(entry: Entry): boolean {
    const { matches, resource } = this.#selection;
    return matches ? matches(decoded.read(resource, entry)) : true;
  }
}

function maxOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
