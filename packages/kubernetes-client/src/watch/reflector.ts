import { idleTimer } from "../requests/idle-timer.ts";
import type { KubeObject, Stored } from "../requests/kube-object.ts";
import { hasCode, KubernetesError } from "../requests/kubernetes-error.ts";
import { linkedAbort } from "../requests/linked-abort.ts";
import type { Keep } from "../requests/list-page.ts";
import type { Selection } from "../requests/request-options.ts";
import type { Resource } from "../requests/resource.ts";
import { isOlder } from "../requests/resource-version.ts";
import type { KubeClient } from "../requests/rest-client.ts";
import { Backoff } from "./backoff.ts";
import { type Clock, pause, systemClock } from "./clock.ts";
import { versionOf, type WatchEvent } from "./watch-event.ts";

export interface ReflectorOptions<T extends KubeObject> extends Selection {
  readonly client: Pick<KubeClient, "list" | "watch">;
  readonly resource: Resource<T>;
  /** Objects per page of a list; 500. */
  readonly pageSize?: number;
  /** The API server sends a bookmark every minute; a watch that is silent for longer than this is dead. 3 minutes. */
  readonly stallMs?: number;
  /** What to keep of an object that comes; all of it unless told. */
  readonly keep?: Keep<T>;
  /** Told when all is listed, also again. */
  readonly onListed?: () => void;
  /** Told of each failure; the reflector itself carries on. */
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Where a reflector puts what it sees. */
export interface Sink<T extends KubeObject> {
  /** All there is; what is not in here is gone. */
  replace(items: readonly Stored<T>[], resourceVersion: string): void;
  apply(event: WatchEvent<T>): void;
}

const BACKOFF = { firstMs: 800, lastMs: 30_000 };
const WATCH_SECONDS = 300;
/** A watch that the server ends sooner, without a word, is no success. */
const SHORT_WATCH_MS = 1_000;

/** Keeps a sink equal to what the API server holds: lists, watches from there, and starts over when it has to. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #sink: Sink<T>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #backoff: Backoff;
  /** Up to where the sink has seen everything; undefined when that can no longer be continued. */
  #version: string | undefined;

  constructor(options: ReflectorOptions<T>, sink: Sink<T>) {
    this.#options = options;
    this.#sink = sink;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
    this.#backoff = new Backoff({ ...BACKOFF, random: this.#random });
  }

  /** Ends only when `signal` aborts, whatever the API server does. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.#version === undefined) await this.#list(signal);
        const isHealthy = await this.#watch(signal);
        if (!isHealthy) await pause(this.#clock, this.#backoff.nextMs(), signal);
      } catch (error) {
        if (signal.aborted) return;
        // Of a kind that was not served for a while there may be other objects afterwards.
        if (isTooOldOrNew(error) || hasCode(error, "not-found")) this.#version = undefined;
        this.#options.onError?.(error);
        const retryAfterMs = error instanceof KubernetesError ? error.retryAfterMs : undefined;
        await pause(this.#clock, this.#backoff.nextMs(retryAfterMs), signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { client, resource, namespace, labelSelector, fieldSelector, pageSize, keep } = this.#options;
    const { items, resourceVersion } = await client.list(resource, {
      namespace,
      labelSelector,
      fieldSelector,
      limit: pageSize,
      keep,
      signal,
    });
    this.#sink.replace(items, resourceVersion);
    this.#version = resourceVersion;
    this.#options.onListed?.();
  }

  #kept(event: WatchEvent<T>): WatchEvent<T> {
    const { keep } = this.#options;
    return keep && event.type !== "BOOKMARK" ? { ...event, object: keep(event.object) } : event;
  }

  /** Follows until the API server ends the watch, and says whether that watch was worth something. */
  async #watch(signal: AbortSignal): Promise<boolean> {
    const { client, resource, namespace, labelSelector, fieldSelector, stallMs = 180_000 } = this.#options;
    const abort = linkedAbort(signal);
    const idle = idleTimer(this.#clock, stallMs, abort.abort);
    const startedMs = this.#clock.monotonic();
    let isHealthy = false;
    try {
      const events = client.watch(resource, {
        namespace,
        labelSelector,
        fieldSelector,
        resourceVersion: this.#version,
        allowWatchBookmarks: true,
        // Spread, so that not all watches of all clients end together.
        timeoutSeconds: Math.round(WATCH_SECONDS * (1 + this.#random())),
        signal: abort.signal,
      });
      for await (const event of events) {
        idle.touch();
        this.#sink.apply(this.#kept(event));
        const version = versionOf(event);
        // A repeated event must not make the next watch begin before what was seen.
        if (this.#version === undefined || !isOlder(version, this.#version)) this.#version = version;
        isHealthy = true;
        this.#backoff.reset();
      }
      return isHealthy || this.#clock.monotonic() - startedMs >= SHORT_WATCH_MS;
    } catch (error) {
      throw idle.hasFired ? stalled(resource, stallMs, error) : error;
    } finally {
      idle.stop();
      abort.unlink();
    }
  }
}

/** Whether the version to watch from is compacted, or from a future that a restored API server never had. */
function isTooOldOrNew(error: unknown): boolean {
  if (hasCode(error, "gone")) return true;
  return error instanceof KubernetesError && error.causes.some(({ reason }) => reason === "ResourceVersionTooLarge");
}

function stalled({ plural }: Resource, stallMs: number, cause: unknown): KubernetesError {
  const message = `nothing came for ${stallMs} ms, not even a bookmark: reconnecting`;
  return new KubernetesError("timeout", { operation: `watch of ${plural}`, message, cause });
}
