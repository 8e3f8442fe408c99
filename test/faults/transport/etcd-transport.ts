import type { Endpoint, EtcdClient } from "@etcd-operator/etcd-client";
import { EtcdError, type EtcdErrorCode } from "@etcd-operator/etcd-client";
import type { CallOptions, ClientOptions } from "@etcd-operator/etcd-client/call-options.ts";
import { applyFault, type Words } from "./apply-fault.ts";
import type { Life } from "./life.ts";
import type { NumberedWrites } from "./writes.ts";

type Connect = (endpoint: Endpoint, options?: ClientOptions) => EtcdClient;
type Call = (...given: readonly unknown[]) => Promise<unknown>;

const WRITES: ReadonlySet<string | symbol> = new Set<keyof EtcdClient>([
  "addMember",
  "promoteMember",
  "removeMember",
  "updateMember",
  "moveLeader",
  "defragment",
  "disarm",
  "downgrade",
  "compact",
  "put",
  "delete",
  "transaction",
]);

/** Between the operator and etcd: counts the writes, and does to one of them what the plan says. */
export function faultyConnect(connect: Connect, writes: NumberedWrites, life: Life): Connect {
  return (endpoint, options) => {
    const client = connect(endpoint, options);
    return new Proxy(client, {
      get(target, name) {
        const found: unknown = Reflect.get(target, name);
        if (typeof found !== "function") return found;
        const call: Call = async (...given) => found.apply(target, given);
        if (WRITES.has(name)) return write(call, String(name), client, writes, life);
        return isStream(name) ? found.bind(target) : async (...given: unknown[]) => life.awaited(call(...given));
      },
    });
  };
}

function isStream(name: string | symbol): boolean {
  return name === "watch" || name === "snapshot" || name === "close";
}

function write(call: Call, name: string, { endpoint }: EtcdClient, writes: NumberedWrites, life: Life): Call {
  return async (...given) => {
    life.signal.throwIfAborted();
    const fault = writes.next(name);
    if (!fault) return life.awaited(call(...given));
    const fail = (code: EtcdErrorCode, reason: string) => new EtcdError(code, { operation: name, endpoint, reason });
    const words: Words<unknown> = {
      send: () => call(...given),
      refuse: async (kind) => {
        throw fail(...REFUSALS[kind]);
      },
      // Options come last, and are the only argument with such fields.
      silence: () => late((given.at(-1) ?? {}) as CallOptions, fail),
    };
    return life.awaited(applyFault(fault, words, life));
  };
}

const REFUSALS: Readonly<Record<"conflict" | "too-many" | "error", readonly [EtcdErrorCode, string]>> = {
  conflict: ["unhealthy-cluster", "etcdserver: unhealthy cluster"],
  "too-many": ["overloaded", "etcdserver: too many requests"],
  error: ["unknown", "etcdserver: something went wrong"],
};

const TIMEOUT_MS = 5_000;

async function late(
  { timeoutMs = TIMEOUT_MS, signal }: CallOptions,
  fail: (code: EtcdErrorCode, reason: string) => EtcdError,
): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(fail("deadline", `no answer within ${timeoutMs} ms`)), timeoutMs);
    signal?.addEventListener("abort", () => reject(fail("canceled", "canceled")), { once: true });
  });
}
