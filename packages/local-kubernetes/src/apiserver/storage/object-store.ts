import type { Comparison, EtcdClient, Operation } from "@etcd-operator/etcd-client";
import { EtcdError, type KeyValue, prefixEnd } from "@etcd-operator/etcd-client";
import { ApiError, expired } from "../api-error.ts";
import type { Entry } from "./entry.ts";

/** Keys beside the object that it holds for itself alone, such as its ClusterIP. */
export interface Claims {
  readonly take?: readonly string[];
  readonly release?: readonly string[];
}

export type WriteResult =
  | { readonly kind: "written"; readonly revision: bigint }
  /** The object is not what the writer saw. */
  | { readonly kind: "changed" }
  /** Someone else holds a claimed key. */
  | { readonly kind: "claimed" };

export interface PageRequest {
  readonly prefix: string;
  /** Keys before this one are skipped. */
  readonly from?: string;
  readonly limit?: number;
  readonly revision?: bigint;
}

export interface Page {
  readonly entries: readonly Entry[];
  readonly revision: bigint;
  /** How many keys follow the page. */
  readonly remaining: number;
}

/** Objects in etcd: every write is one transaction that succeeds only without a write in between. */
export class ObjectStore {
  readonly #etcd: EtcdClient;

  constructor(etcd: EtcdClient) {
    this.#etcd = etcd;
  }

  async get(key: string): Promise<Entry | undefined> {
    const { keyValues } = await translated(this.#etcd.range({ key }));
    return keyValues[0] && toEntry(keyValues[0]);
  }

  async create(key: string, value: Buffer, claims: Claims = {}): Promise<WriteResult> {
    return this.#write({ key, target: "createRevision", is: "=", to: 0n }, { kind: "put", key, value }, claims);
  }

  async update(entry: Entry, value: Buffer, claims: Claims = {}): Promise<WriteResult> {
    return this.#write(unchanged(entry), { kind: "put", key: entry.key, value }, claims);
  }

  async delete(entry: Entry, claims: Claims = {}): Promise<WriteResult> {
    return this.#write(unchanged(entry), { kind: "delete", key: entry.key }, claims);
  }

  async page({ prefix, from = prefix, limit, revision }: PageRequest): Promise<Page> {
    const range = { key: from, rangeEnd: prefixEnd(prefix), ...(limit && { limit }), ...(revision && { revision }) };
    const result = await translated(this.#etcd.range(range));
    return {
      entries: result.keyValues.map(toEntry),
      revision: revision ?? result.revision,
      remaining: result.count - result.keyValues.length,
    };
  }

  /** The newest revision of the store, which every later read includes. */
  async revision(): Promise<bigint> {
    return (await translated(this.#etcd.range({ key: "/registry", countOnly: true }))).revision;
  }

  async #write(holds: Comparison, operation: Operation, { take = [], release = [] }: Claims): Promise<WriteResult> {
    const result = await translated(
      this.#etcd.transaction({
        compare: [holds, ...take.map((key) => ({ key, target: "createRevision", is: "=", to: 0n }) as const)],
        success: [
          operation,
          ...take.map((key) => ({ kind: "put", key, value: holds.key }) as const),
          ...release.map((key) => ({ kind: "delete", key }) as const),
        ],
        // Only then there are two reasons why it may not hold.
        ...(take.length > 0 && { failure: [{ kind: "range", key: holds.key }] }),
      }),
    );
    if (result.succeeded) return { kind: "written", revision: result.revision };
    return { kind: take.length > 0 && stillHolds(holds, result.results[0]) ? "claimed" : "changed" };
  }
}

function unchanged({ key, revision }: Entry): Comparison {
  return { key, target: "modRevision", is: "=", to: revision };
}

function stillHolds(holds: Comparison, found: unknown): boolean {
  const { keyValues = [] } = found as { keyValues?: readonly KeyValue[] };
  return (keyValues[0]?.modRevision ?? 0n) === holds.to;
}

export function toEntry({ key, value, modRevision }: KeyValue): Entry {
  return { key: asBuffer(key).toString("utf8"), value: asBuffer(value), revision: modRevision };
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** What clients are told when etcd fails them. */
export function toApiError(error: unknown): unknown {
  if (!(error instanceof EtcdError)) return error;
  switch (error.code) {
    case "compacted":
      return expired("The resourceVersion for the provided list is too old.");
    case "future-revision":
      return new ApiError(504, "Timeout", "Timeout: Too large resource version");
    case "too-large":
      return new ApiError(
        413,
        "RequestEntityTooLarge",
        "Request entity too large: the store refuses an object of this size",
      );
    case "unavailable":
    case "deadline":
    case "no-leader":
    case "overloaded":
      return new ApiError(503, "ServiceUnavailable", `the store does not answer: ${error.message}`);
    default:
      return new ApiError(500, "InternalError", error.message);
  }
}

async function translated<Result>(answer: Promise<Result>): Promise<Result> {
  try {
    return await answer;
  } catch (error) {
    throw toApiError(error);
  }
}
