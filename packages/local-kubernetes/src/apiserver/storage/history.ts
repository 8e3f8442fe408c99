import type { EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError, prefixEnd } from "@etcd-operator/etcd-client";
import { expired } from "../api-error.ts";
import type { Change } from "./change.ts";
import { toApiError, toEntry } from "./object-store.ts";

export type HistoryMessage = { readonly kind: "changes"; readonly changes: readonly Change[] } | Progress;

interface Progress {
  readonly kind: "progress";
  readonly revision: bigint;
}

export interface History extends AsyncIterable<HistoryMessage> {
  requestProgress(): void;
}

/** Follows a prefix from an old revision with an etcd watch of its own, for a watcher whom the cache cannot serve. */
export function historyAfter(etcd: EtcdClient, prefix: string, revision: bigint, signal: AbortSignal): History {
  const request = { key: prefix, rangeEnd: prefixEnd(prefix), startRevision: revision + 1n, withPrevious: true };
  const watch = etcd.watch(request, { signal });
  return {
    requestProgress: () => watch.requestProgress(),
    async *[Symbol.asyncIterator]() {
      try {
        for await (const message of watch) {
          if (message.kind === "progress") yield { kind: "progress", revision: message.revision };
          if (message.kind === "events") yield { kind: "changes", changes: message.events.map(toChange) };
        }
      } catch (error) {
        if (error instanceof EtcdError && error.code === "compacted") {
          throw expired(`too old resource version: ${revision} (${error.compactRevision})`);
        }
        throw toApiError(error);
      }
    },
  };
}

type Event = Parameters<typeof toEntry>[0];

function toChange({ kind, keyValue, previous }: { kind: "put" | "delete"; keyValue: Event; previous?: Event }): Change {
  return {
    revision: keyValue.modRevision,
    ...(kind === "put" && { now: toEntry(keyValue) }),
    ...(previous && { before: toEntry(previous) }),
  };
}
