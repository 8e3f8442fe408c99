import type { CallOptions } from "./call-options.ts";
import type { Calls } from "./calls.ts";
import { codeOfText } from "./error-codes.ts";
import { EtcdError } from "./etcd-error.ts";
import { GrpcFailure, GrpcStatus } from "./grpc/grpc-failure.ts";
import { type Bytes, type KeyValue, toBytes, toKeyValue } from "./key-value.ts";
import { type Event, Event_EventType } from "./protocol/generated/mvcc_pb.ts";
import { type WatchResponse, Watch as WatchService } from "./protocol/generated/watch_pb.ts";

export interface WatchRequest {
  readonly key: Bytes;
  /** Exclusive; see `prefixEnd`. Absent: the one key. */
  readonly rangeEnd?: Bytes;
  /** The first revision to tell about; absent: what happens from now on. */
  readonly startRevision?: bigint;
  readonly withPrevious?: boolean;
  /** Lets a quiet watch report its revision from time to time (every 10 minutes, unless etcd is told otherwise). */
  readonly progressNotify?: boolean;
}

export interface WatchEvent {
  readonly kind: "put" | "delete";
  /** Of a delete: the key and, as `modRevision`, when; no value. */
  readonly keyValue: KeyValue;
  readonly previous?: KeyValue;
}

/** What a watch tells; all of them mean that everything up to `revision` has been told, except "created". */
export type WatchMessage =
  | { readonly kind: "created"; readonly revision: bigint }
  | { readonly kind: "events"; readonly revision: bigint; readonly events: readonly WatchEvent[] }
  | { readonly kind: "progress"; readonly revision: bigint };

/**
 * A watch under way; iterate it once. It ends by leaving the loop, by the signal, or with an `EtcdError`; to go on,
 * watch again from the last revision received, plus one. After "compacted" that is lost: read again.
 */
export interface Watch extends AsyncIterable<WatchMessage> {
  /** Asks for a "progress" message now; servers before 3.4 stay silent. */
  requestProgress(): void;
}

export interface Watches {
  /** `timeoutMs` bounds only the wait for "created", which comes first. */
  watch(request: WatchRequest, options?: CallOptions): Watch;
}

export const CREATE_TIMEOUT_MS = 5_000;

// A member cut off from its leader would otherwise keep a watch open and silent for ever.
export const REQUIRE_LEADER = { hasleader: "true" };

export function watches(calls: Calls): Watches {
  return {
    watch(request, options = {}) {
      const progress = { request: () => {} };
      return {
        requestProgress: () => progress.request(),
        [Symbol.asyncIterator]: () => follow(calls, request, options, progress),
      };
    },
  };
}

async function* follow(
  calls: Calls,
  request: WatchRequest,
  { timeoutMs = CREATE_TIMEOUT_MS, ...options }: CallOptions,
  progress: { request: () => void },
): AsyncGenerator<WatchMessage, void, undefined> {
  const stream = await calls.stream({ operation: "watch", method: WatchService.method.watch }, options, REQUIRE_LEADER);
  const late = new GrpcFailure(GrpcStatus.deadlineExceeded, `the watch was not created within ${timeoutMs} ms`);
  const timer = setTimeout(() => stream.cancel(late), timeoutMs);
  progress.request = () => stream.send({ requestUnion: { case: "progressRequest", value: {} } });
  stream.send({ requestUnion: { case: "createRequest", value: createRequest(request) } });
  let events: readonly Event[] = [];
  try {
    for await (const answer of stream.messages()) {
      clearTimeout(timer);
      if (answer.canceled) throw canceledByServer(answer, calls.endpoint);
      events = [...events, ...answer.events];
      if (answer.fragment) continue;
      yield toMessage(answer, events);
      events = [];
    }
  } finally {
    clearTimeout(timer);
    progress.request = () => {};
  }
}

function createRequest(request: WatchRequest) {
  return {
    key: toBytes(request.key),
    rangeEnd: toBytes(request.rangeEnd ?? ""),
    startRevision: request.startRevision ?? 0n,
    prevKv: request.withPrevious ?? false,
    progressNotify: request.progressNotify ?? false,
    // Large batches come in parts and are joined above, so that a message never ends inside a revision.
    fragment: true,
  };
}

function toMessage({ header, created }: WatchResponse, events: readonly Event[]): WatchMessage {
  const revision = header?.revision ?? 0n;
  if (created) return { kind: "created", revision };
  if (events.length === 0) return { kind: "progress", revision };
  return { kind: "events", revision, events: events.flatMap(toWatchEvent) };
}

function toWatchEvent({ type, kv, prevKv }: Event): WatchEvent[] {
  if (!kv) return [];
  const kind = type === Event_EventType.DELETE ? "delete" : "put";
  return [{ kind, keyValue: toKeyValue(kv), ...(prevKv && { previous: toKeyValue(prevKv) }) }];
}

/** Why a server ended a watch. */
export function canceledByServer(
  { compactRevision, cancelReason }: Pick<WatchResponse, "compactRevision" | "cancelReason">,
  endpoint: string,
): EtcdError {
  const operation = "watch";
  if (compactRevision > 0n) {
    const reason = `the start revision is compacted; the oldest left is ${compactRevision}`;
    return new EtcdError("compacted", { operation, endpoint, reason, compactRevision });
  }
  const reason = cancelReason || "the server ended the watch";
  return new EtcdError(codeOfText(reason) ?? "unknown", { operation, endpoint, reason });
}
