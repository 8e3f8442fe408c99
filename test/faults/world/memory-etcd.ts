import type { CallOptions, EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import { type Bytes, type KeyValue, toBytes } from "@etcd-operator/etcd-client/key-value.ts";
import type { Range, RangeResult } from "@etcd-operator/etcd-client/operations.ts";
import type {
  Comparison,
  Operation,
  OperationResult,
  Transaction,
  TransactionResult,
} from "@etcd-operator/etcd-client/transaction.ts";
import type { Watch, WatchEvent, WatchRequest } from "@etcd-operator/etcd-client/watch.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { SortedKeys } from "./sorted-keys.ts";

export type MemoryEtcd = Pick<
  EtcdClient,
  "endpoint" | "range" | "put" | "delete" | "transaction" | "compact" | "watch" | "close"
> & {
  /** Everything that ever happened, the oldest first, as far as it is not compacted. */
  readonly events: readonly WatchEvent[];
  /** Another one with the same contents, that goes its own way from here. */
  copy(): MemoryEtcd;
};

/** The keys, and what became of them. */
export interface KeyValueState {
  readonly newest: Map<string, KeyValue>;
  readonly keys: SortedKeys;
  /** Every change since the last compaction, the oldest first. */
  events: WatchEvent[];
  revision: bigint;
  compacted: bigint;
}

const ENDPOINT = "memory";

/**
 * The keys of an etcd in memory, with revisions, transactions, compaction and watches: what an API server stores its
 * objects in.
 */
export function memoryEtcd(from?: KeyValueState): MemoryEtcd {
  const state = from ?? newKeyValueState();
  const watches = new Set<MemoryWatch>();
  const transaction = (what: Transaction) => {
    const result = applied(state, what);
    for (const watch of watches) watch.tell();
    return result;
  };
  const single = (operation: Operation) => transaction({ compare: [], success: [operation] }).results[0];
  return {
    endpoint: ENDPOINT,
    get events() {
      return state.events;
    },
    range: async (what) => ranged(state, what),
    put: async (what) => single({ kind: "put", ...what }) as Extract<OperationResult, { kind: "put" }>,
    delete: async (what) => single({ kind: "delete", ...what }) as Extract<OperationResult, { kind: "delete" }>,
    transaction: async (what) => transaction(what),
    compact: async (revision) => compact(state, revision),
    watch: (request, options) => watchOf(state, watches, request, options),
    close: () => {
      for (const watch of watches) watch.end();
    },
    copy: () =>
      memoryEtcd({ ...state, newest: new Map(state.newest), keys: state.keys.copy(), events: [...state.events] }),
  };
}

export function newKeyValueState(): KeyValueState {
  return { newest: new Map(), keys: new SortedKeys(), events: [], revision: 1n, compacted: 0n };
}

function watchOf(
  state: KeyValueState,
  watches: Set<MemoryWatch>,
  request: WatchRequest,
  { signal }: CallOptions = {},
): Watch {
  const from = request.startRevision ?? state.revision + 1n;
  const watch = new MemoryWatch({
    signal,
    check: () => {
      if (from <= state.compacted) throw compactedError("watch", state.compacted + 1n);
    },
    revision: () => state.revision,
    after: (seen) => eventsIn(state, request, seen < from - 1n ? from - 1n : seen),
    ended: () => watches.delete(watch),
  });
  watches.add(watch);
  return watch;
}

export function eventsIn(state: KeyValueState, { key, rangeEnd }: WatchRequest, after: bigint): WatchEvent[] {
  const isWithin = withinRange(key, rangeEnd);
  const found: WatchEvent[] = [];
  for (let at = state.events.length - 1; at >= 0; at -= 1) {
    const event = state.events[at];
    if (!event || event.keyValue.modRevision <= after) break;
    if (isWithin(textOf(event.keyValue.key))) found.push(event);
  }
  return found.reverse();
}

export function applied(state: KeyValueState, { compare, success, failure = [] }: Transaction): TransactionResult {
  const succeeded = compare.every((each) => holds(state.newest.get(textOf(each.key)), each));
  const operations = succeeded ? success : failure;
  const writes = operations.some(({ kind }) => kind !== "range");
  const next = state.revision + 1n;
  const eventsBefore = state.events.length;
  const results = operations.map((operation) => run(state, operation, next));
  // A deletion of nothing changes nothing, and makes no revision.
  if (writes && state.events.length > eventsBefore) state.revision = next;
  return { succeeded, revision: state.revision, results };
}

function run(state: KeyValueState, operation: Operation, revision: bigint): OperationResult {
  switch (operation.kind) {
    case "range":
      return { kind: "range", ...ranged(state, operation) };
    case "put":
      write(state, textOf(operation.key), toBytes(operation.value), revision);
      return { kind: "put", revision };
    case "delete": {
      const previous = foundIn(state, operation.key, operation.rangeEnd);
      for (const { key } of previous) remove(state, textOf(key), revision);
      // A deletion of nothing makes no revision.
      return {
        kind: "delete",
        revision: previous.length > 0 ? revision : state.revision,
        deleted: previous.length,
        previous,
      };
    }
  }
}

function write(state: KeyValueState, key: string, value: Uint8Array, modRevision: bigint): void {
  const before = state.newest.get(key);
  const keyValue = {
    key: toBytes(key),
    value,
    createRevision: before?.createRevision ?? modRevision,
    modRevision,
    version: (before?.version ?? 0n) + 1n,
    lease: 0n,
  };
  state.newest.set(key, keyValue);
  state.keys.add(key);
  state.events.push({ kind: "put", keyValue, ...(before && { previous: before }) });
}

function remove(state: KeyValueState, key: string, modRevision: bigint): void {
  const before = state.newest.get(key);
  if (!before) return;
  state.newest.delete(key);
  state.keys.delete(key);
  const gone = { key: before.key, value: new Uint8Array(0), createRevision: 0n, modRevision, version: 0n, lease: 0n };
  state.events.push({ kind: "delete", keyValue: gone, previous: before });
}

export function ranged(state: KeyValueState, { key, rangeEnd, limit = 0, revision, countOnly }: Range): RangeResult {
  const all = foundIn(state, key, rangeEnd, revision);
  const cut = limit > 0 ? all.slice(0, limit) : all;
  const keyValues = countOnly ? [] : cut;
  return { revision: state.revision, keyValues, hasMore: cut.length < all.length, count: all.length };
}

function foundIn(state: KeyValueState, key: Bytes, rangeEnd?: Bytes, revision?: bigint): KeyValue[] {
  if (revision !== undefined && revision < state.compacted) throw compactedError("range", state.compacted + 1n);
  const [first, end] = [textOf(key), rangeEnd === undefined ? undefined : textOf(rangeEnd)];
  const now = end === undefined ? [first] : state.keys.between(first, end === "\0" ? undefined : end);
  if (revision === undefined || revision >= state.revision) return now.flatMap((each) => state.newest.get(each) ?? []);
  return asOf(state, revision, withinRange(key, rangeEnd));
}

/** The data at an earlier revision: the present data, with every later change undone. */
function asOf(state: KeyValueState, revision: bigint, isWithin: (key: string) => boolean): KeyValue[] {
  const then = new Map([...state.newest].filter(([key]) => isWithin(key)));
  for (let at = state.events.length - 1; at >= 0; at -= 1) {
    const event = state.events[at];
    if (!event || event.keyValue.modRevision <= revision) break;
    const key = textOf(event.keyValue.key);
    if (!isWithin(key)) continue;
    if (event.previous) then.set(key, event.previous);
    else then.delete(key);
  }
  return [...then].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, keyValue]) => keyValue);
}

export function compact(state: KeyValueState, revision: bigint): void {
  if (revision <= state.compacted) throw compactedError("compact", state.compacted + 1n);
  state.compacted = revision;
  state.events = state.events.filter(({ keyValue }) => keyValue.modRevision > revision);
}

function holds(found: KeyValue | undefined, condition: Comparison): boolean {
  const { target, is, to } = condition;
  const have = target === "value" ? textOf(found?.value ?? "") : (found?.[target] ?? 0n);
  const want = typeof to === "bigint" ? to : textOf(to);
  if (is === "=" || is === "!=") return (have === want) === (is === "=");
  return is === "<" ? have < want : have > want;
}

function withinRange(key: Bytes, rangeEnd?: Bytes): (key: string) => boolean {
  const first = textOf(key);
  if (rangeEnd === undefined) return (other) => other === first;
  const end = textOf(rangeEnd);
  return (other) => other >= first && (end === "\0" || other < end);
}

// One character per byte, so that strings sort as the bytes do.
function textOf(bytes: Bytes): string {
  return Buffer.from(toBytes(bytes)).toString("latin1");
}

function compactedError(operation: string, compactRevision: bigint): EtcdError {
  const reason = "mvcc: required revision has been compacted";
  return new EtcdError("compacted", { operation, endpoint: ENDPOINT, reason, compactRevision });
}
