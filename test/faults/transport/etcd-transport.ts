import type { CallOptions } from "../../../src/etcd/call-options.ts";
import type { Endpoint } from "../../../src/etcd/endpoint.ts";
import type { EtcdClient } from "../../../src/etcd/etcd-client.ts";
import { EtcdError, type EtcdErrorCode } from "../../../src/etcd/etcd-error.ts";
import type { Fault } from "./fault.ts";
import type { Life } from "./life.ts";
import type { Writes } from "./writes.ts";

type Connect = (endpoint: Endpoint) => EtcdClient;
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
export function faultyConnect(connect: Connect, writes: Writes, life: Life): Connect {
  return (endpoint) => {
    const client = connect(endpoint);
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

function write(call: Call, name: string, { endpoint }: EtcdClient, writes: Writes, life: Life): Call {
  return async (...given) => {
    life.signal.throwIfAborted();
    const fault = writes.next(name);
    if (!fault) return life.awaited(call(...given));
    const fail = (code: EtcdErrorCode, reason: string) => new EtcdError(code, { operation: name, endpoint, reason });
    return life.awaited(answerWith(fault, () => call(...given), given.at(-1) as CallOptions | undefined, fail, life));
  };
}

async function answerWith(
  fault: Fault,
  call: () => Promise<unknown>,
  options: CallOptions | undefined,
  fail: (code: EtcdErrorCode, reason: string) => EtcdError,
  life: Life,
): Promise<unknown> {
  switch (fault) {
    case "crash-before":
      life.crash();
      return never();
    case "crash-after":
      await call().catch(() => undefined);
      life.crash();
      return never();
    case "conflict":
      throw fail("unhealthy-cluster", "etcdserver: unhealthy cluster");
    case "too-many":
      throw fail("overloaded", "etcdserver: too many requests");
    case "error":
      throw fail("unknown", "etcdserver: something went wrong");
    case "lost-answer":
      await call().catch(() => undefined);
      return late(options, fail);
    case "lost-request":
      return late(options, fail);
    case "twice":
      await call().catch(() => undefined);
      return call();
  }
}

const TIMEOUT_MS = 5_000;

async function late(
  { timeoutMs = TIMEOUT_MS, signal }: CallOptions = {},
  fail: (code: EtcdErrorCode, reason: string) => EtcdError,
): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(fail("deadline", `no answer within ${timeoutMs} ms`)), timeoutMs);
    signal?.addEventListener("abort", () => reject(fail("canceled", "canceled")), { once: true });
  });
}

async function never(): Promise<never> {
  return new Promise(() => undefined);
}
