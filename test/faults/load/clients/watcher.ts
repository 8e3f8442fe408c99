import { setTimeout as pause } from "node:timers/promises";
import type { EtcdClient, WatchEvent } from "@etcd-operator/etcd-client";
import { EtcdError, prefixEnd } from "@etcd-operator/etcd-client";
import type { Random } from "../../../model/random.ts";
import type { WatchedEvent, WatchPiece } from "../history/operation.ts";
import { connectToAny, type Scene } from "./session.ts";

export interface WatcherOptions {
  readonly name: string;
  readonly prefix: string;
  /** After about so many events it hangs up and goes on elsewhere. */
  readonly restlessAfter: number;
}

const AFTER_FAILURE_MS = 100;

/**
 * Watches keys through every fault, and goes on at another member where it was cut off; after a restore it starts
 * again.
 */
export class Watcher {
  readonly #scene: Scene;
  readonly #options: WatcherOptions;
  readonly #random: Random;
  #last: WatchPiece | undefined;

  constructor(scene: Scene, options: WatcherOptions, random: Random) {
    this.#scene = scene;
    this.#options = options;
    this.#random = random;
  }

  /** Whether it has got all of an epoch up to a revision. */
  hasSeen(epoch: number, revision: bigint): boolean {
    return this.#last?.epoch === epoch && this.#last.through >= revision;
  }

  describe(): string {
    return `watch ${this.#options.name} was told up to revision ${this.#last?.through} of epoch ${this.#last?.epoch}`;
  }

  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#once(signal);
      } catch (error) {
        // Its next start begins with a read of all keys, since what lies between is gone.
        if (error instanceof EtcdError && error.code === "compacted") this.#last = undefined;
        await pause(AFTER_FAILURE_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #once(signal: AbortSignal): Promise<void> {
    const { client, epoch } = await connectToAny(this.#scene, this.#random);
    const stop = () => client.close();
    signal.addEventListener("abort", stop);
    try {
      await this.#watch(client, epoch);
    } finally {
      signal.removeEventListener("abort", stop);
      client.close();
    }
  }

  async #watch(client: EtcdClient, epoch: number): Promise<void> {
    const { prefix, name, restlessAfter } = this.#options;
    const isResumed = this.#last?.epoch === epoch;
    const range = { key: prefix, rangeEnd: prefixEnd(prefix) };
    const all = isResumed ? undefined : await client.range(range);
    const from = (all ? all.revision : (this.#last?.through ?? 0n)) + 1n;
    const listed = (all?.keyValues ?? []).map((keyValue) => asWatched({ kind: "put", keyValue }));
    const enough = 1 + this.#random.int(2 * restlessAfter);
    const watch = client.watch({ ...range, startRevision: from });
    let piece: WatchPiece | undefined;
    for await (const message of watch) {
      if (this.#scene.epoch().number !== epoch) return;
      if (message.kind === "created") {
        piece = this.#scene.recorder.beginPiece({ watcher: name, epoch, from, isResumed, listed });
        this.#last = piece;
      } else if (piece && message.kind === "events") {
        const events = message.events.map(asWatched);
        piece.events.push(...events);
        // Not the message's own revision: while a watch catches up, etcd sends its events in parts.
        piece.through = events.at(-1)?.revision ?? piece.through;
        if (piece.events.length >= enough) return;
      }
    }
  }
}

function asWatched({ kind, keyValue }: WatchEvent): WatchedEvent {
  return {
    key: Buffer.from(keyValue.key).toString(),
    revision: keyValue.modRevision,
    value: kind === "put" ? Buffer.from(keyValue.value).toString() : undefined,
    version: kind === "put" ? keyValue.version : 0n,
  };
}
