import type { Event } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../requests/kube-object.ts";
import { hasCode, isAboutGoingNamespace } from "../requests/kubernetes-error.ts";
import { resources } from "../requests/resources.ts";
import type { KubeClient } from "../requests/rest-client.ts";
import { TokenBucket } from "../requests/token-bucket.ts";
import { plainMessage } from "../status/plain-message.ts";
import { Backoff } from "../watch/backoff.ts";
import { type Clock, pause, systemClock } from "../watch/clock.ts";
import { LeastRecent } from "../watch/least-recent.ts";

export interface RecordedEvent<R extends string = string> {
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase. */
  readonly reason: R;
  readonly message: string;
}

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, "create" | "patch">;
  /** Who tells, such as "etcd-operator". */
  readonly component: string;
  readonly instance?: string;
  /** When it aborts, events that could not be delivered are tried one last time and then dropped. */
  readonly signal?: AbortSignal;
  readonly onError?: (error: unknown) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

interface Entry {
  readonly about: Stored;
  readonly event: RecordedEvent;
  readonly firstMs: number;
  lastMs: number;
  count: number;
  failures: number;
  /** Of the Event on the API server, once there is one. */
  name?: string;
}

const REMEMBERED = 1024;
const BURST = 25;
const REFILL_MS = 60_000;
const MAX_ATTEMPTS = 5;

/**
 * Writes Events about objects: repeated ones become one with a count, and no object gets more than a few of each type a
 * minute.
 */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #entries = new LeastRecent<Entry>(REMEMBERED);
  readonly #buckets = new LeastRecent<TokenBucket>(2 * REMEMBERED);
  readonly #unsent = new Set<Entry>();
  #sending: Promise<void> | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? Math.random;
  }

  /** Returns at once and never throws; what cannot be delivered is reported and given up after a while. */
  record(about: Stored, event: RecordedEvent): void {
    const { uid } = about.metadata;
    const nowMs = this.#clock.now();
    const create = () => ({ about, event, firstMs: nowMs, lastMs: nowMs, count: 0, failures: 0 });
    const entry = this.#entries.get([uid, event.type, event.reason, event.message].join("\0"), create);
    entry.count += 1;
    entry.lastMs = nowMs;
    // Too many: the count goes out with the next one.
    if (!this.#unsent.has(entry) && !this.#mayBeSent(entry)) return;
    this.#unsent.add(entry);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when everything recorded so far is delivered or given up. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  /**
   * What went well, however often, must not keep anybody from being told of what did not: Warnings have a share of
   * their own.
   */
  #mayBeSent({ about, event: { type } }: Entry): boolean {
    const room = type === "Warning" ? 2 * REMEMBERED : REMEMBERED;
    const bucket = this.#buckets.get(
      `${about.metadata.uid}\0${type}`,
      () => new TokenBucket(BURST, REFILL_MS, this.#clock),
    );
    return this.#unsent.size < room && bucket.take();
  }

  async #sendAll(): Promise<void> {
    const signal = this.#options.signal ?? new AbortController().signal;
    const backoff = new Backoff({ firstMs: 1_000, lastMs: 30_000, random: this.#random });
    for (const entry of this.#unsent) {
      this.#unsent.delete(entry);
      try {
        await this.#send(entry);
        entry.failures = 0;
        backoff.reset();
      } catch (error) {
        // A namespace that is being deleted takes no Events, and they would have no reader.
        if (!isAboutGoingNamespace(error)) this.#options.onError?.(error);
        entry.failures += 1;
        const isWorthIt = hasCode(error, "unavailable", "timeout", "too-many-requests") && !signal.aborted;
        if (!isWorthIt || entry.failures >= MAX_ATTEMPTS) continue;
        // Added again, it comes last in the set that is being walked through.
        this.#unsent.add(entry);
        await pause(this.#clock, backoff.nextMs(error.retryAfterMs), signal);
      }
    }
    this.#sending = undefined;
  }

  async #send(entry: Entry): Promise<void> {
    const { client } = this.#options;
    const namespace = namespaceOf(entry);
    if (entry.name) {
      try {
        const merge = { count: entry.count, lastTimestamp: secondsOf(entry.lastMs) };
        await client.patch(resources.events, { namespace, name: entry.name }, { merge });
        return;
      } catch (error) {
        // The API server forgets Events after an hour.
        if (!hasCode(error, "not-found")) throw error;
      }
    }
    const { metadata } = await client.create(resources.events, this.#eventOf(entry));
    entry.name = metadata.name;
  }

  #eventOf(entry: Entry): Event {
    const { about, event, count, firstMs, lastMs } = entry;
    const { name, uid, resourceVersion, namespace } = about.metadata;
    const { component, instance = component } = this.#options;
    const suffix = `${lastMs.toString(16)}${Math.floor(this.#random() * 0x1_0000_0000).toString(16)}`;
    return {
      metadata: { namespace: namespaceOf(entry), name: `${name.slice(0, 220)}.${suffix}` },
      involvedObject: {
        apiVersion: about.apiVersion,
        kind: about.kind,
        name,
        uid,
        resourceVersion,
        ...(namespace && { namespace }),
      },
      type: event.type,
      reason: event.reason,
      message: plainMessage(event.message),
      count,
      firstTimestamp: secondsOf(firstMs),
      lastTimestamp: secondsOf(lastMs),
      source: { component },
      reportingComponent: component,
      reportingInstance: instance,
    };
  }
}

function namespaceOf({ about }: Entry): string {
  return about.metadata.namespace ?? "default";
}

function secondsOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
