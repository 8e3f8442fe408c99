import type { EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError } from "@etcd-operator/etcd-client";
import type { Operation, OperationResult, Transaction } from "@etcd-operator/etcd-client/transaction.ts";
import { eventsIn, ranged } from "../../world/memory-etcd.ts";
import { MemoryWatch } from "../../world/memory-watch.ts";
import type { EtcdModel } from "../etcd-model.ts";
import type { Call, MakeCall } from "./model-client.ts";

type KeyCalls = Pick<
  EtcdClient,
  "range" | "put" | "delete" | "transaction" | "compact" | "watch" | "grantLease" | "keepLeaseAlive" | "revokeLease"
>;

/** The calls about keys. Every acknowledged write is on record. */
export function keyCalls(model: EtcdModel, make: MakeCall, address: string): KeyCalls {
  const write = async (call: Call, transaction: Transaction) => {
    const { results, revision } = await agreed(model, call, transaction);
    // A deletion of nothing makes no revision.
    return results[0] && { ...results[0], revision };
  };
  const unsupported = (operation: string) => {
    throw new EtcdError("unsupported", { operation, endpoint: address, reason: "the model has no leases" });
  };
  return {
    range: (what, options) =>
      make({ operation: "range", ofLearners: what.serializable === true }, options, async (call) => {
        if (!what.serializable) await call.leader();
        const { keys } = call.process.data.state;
        if ((what.revision ?? 0n) > keys.revision) {
          throw call.patience.fail("future-revision", "etcdserver: mvcc: required revision is a future revision");
        }
        return ranged(keys, what);
      }),
    put: (what, options) =>
      make({ operation: "put" }, options, async (call) => {
        return ofKind("put", await write(call, single({ kind: "put", ...what })));
      }),
    delete: (what, options) =>
      make({ operation: "delete" }, options, async (call) => {
        return ofKind("delete", await write(call, single({ kind: "delete", ...what })));
      }),
    transaction: (what, options) => make({ operation: "transaction" }, options, (call) => agreed(model, call, what)),
    compact: (revision, options) =>
      make({ operation: "compact" }, options, async (call) => {
        await call.agree({ kind: "compact", revision });
      }),
    watch: (request, options = {}) => watchAt(model, address, request, options),
    grantLease: async () => unsupported("grantLease"),
    keepLeaseAlive: async () => unsupported("keepLeaseAlive"),
    revokeLease: async () => unsupported("revokeLease"),
  };
}

async function agreed(model: EtcdModel, call: Call, transaction: Transaction) {
  const { process } = call;
  const { result, entry } = await call.agree({ kind: "write", transaction });
  if (!result) throw call.patience.fail("unknown", "it was applied without a result");
  const { clusterId } = process.data;
  const isWrite = result.results.some(({ kind }) => kind !== "range");
  if (isWrite) {
    model.group(clusterId).acknowledge(entry);
    model.facts.writes.push({
      ...{ atMs: model.clock.now(), clusterId, via: process.launch.pod, revision: result.revision, entry },
    });
  }
  return result;
}

/** Ends when the member does, as a connection would. */
function watchAt(
  model: EtcdModel,
  address: string,
  request: Parameters<EtcdClient["watch"]>[0],
  { signal }: NonNullable<Parameters<EtcdClient["watch"]>[1]>,
) {
  const process = model.listenerAt(address);
  const keys = () => process?.data.state.keys;
  const fail = (code: "unavailable" | "compacted", reason: string) =>
    new EtcdError(code, { operation: "watch", endpoint: address, reason });
  const from = request.startRevision ?? (keys()?.revision ?? 0n) + 1n;
  const check = () => {
    const state = keys();
    if (!state || process?.phase !== "running") throw fail("unavailable", `connect ECONNREFUSED ${address}`);
    if (from <= state.compacted) throw fail("compacted", "mvcc: required revision has been compacted");
  };
  const watch = new MemoryWatch({
    signal,
    check,
    revision: () => keys()?.revision ?? 0n,
    after: (seen) => {
      if (process?.phase !== "running") throw fail("unavailable", "read ECONNRESET");
      const state = keys();
      return state ? eventsIn(state, request, seen < from - 1n ? from - 1n : seen) : [];
    },
    ended: () => leave(),
  });
  const leave = model.waiting.onPulse(() => (process?.phase === "running" ? watch.tell() : watch.end()));
  return watch;
}

function single(operation: Operation): Transaction {
  return { compare: [], success: [operation] };
}

function ofKind<Kind extends OperationResult["kind"]>(kind: Kind, result: OperationResult | undefined) {
  if (result?.kind !== kind) throw new TypeError(`expected the result of a ${kind}`);
  return result as Extract<OperationResult, { kind: Kind }>;
}
