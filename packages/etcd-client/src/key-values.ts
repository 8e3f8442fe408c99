import type { CallOptions } from "./call-options.ts";
import type { Calls } from "./calls.ts";
import {
  type Deletion,
  type DeletionResult,
  deletionRequest,
  deletionResult,
  type Put,
  type PutResult,
  putRequest,
  putResult,
  type Range,
  type RangeResult,
  rangeRequest,
  rangeResult,
} from "./operations.ts";
import { KV } from "./protocol/generated/kv_pb.ts";
import { type Transaction, type TransactionResult, transactionRequest, transactionResult } from "./transaction.ts";

/** Reading and writing keys. */
export interface KeyValues {
  range(range: Range, options?: CallOptions): Promise<RangeResult>;
  put(put: Put, options?: CallOptions): Promise<PutResult>;
  delete(deletion: Deletion, options?: CallOptions): Promise<DeletionResult>;
  transaction(transaction: Transaction, options?: CallOptions): Promise<TransactionResult>;
  /** Forgets what was overwritten before `revision`. `physical` waits until the space is really free. */
  compact(revision: bigint, options?: CallOptions & { physical?: boolean }): Promise<void>;
}

export function keyValues(calls: Calls): KeyValues {
  const { range, put, deleteRange, txn, compact } = KV.method;
  return {
    async range(what, options) {
      const call = { operation: "range", method: range, isRead: true, hasContents: !what.countOnly };
      return rangeResult(await calls.unary(call, rangeRequest(what), options));
    },
    async put(what, options) {
      const call = { operation: "put", method: put, hasContents: what.withPrevious ?? false };
      return putResult(await calls.unary(call, putRequest(what), options));
    },
    async delete(what, options) {
      const call = { operation: "delete", method: deleteRange, hasContents: true };
      return deletionResult(await calls.unary(call, deletionRequest(what), options));
    },
    async transaction(what, options) {
      const call = { operation: "transaction", method: txn, hasContents: true };
      return transactionResult(await calls.unary(call, transactionRequest(what), options));
    },
    async compact(revision, options = {}) {
      const call = { operation: "compact", method: compact };
      await calls.unary(call, { revision, physical: options.physical ?? false }, options);
    },
  };
}
