import type { MessageInitShape } from "@bufbuild/protobuf";
import { type Bytes, toBytes } from "./key-value.ts";
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
import {
  Compare_CompareResult,
  Compare_CompareTarget,
  type CompareSchema,
  type RequestOpSchema,
  type ResponseOp,
  type TxnRequestSchema,
  type TxnResponse,
} from "./protocol/generated/kv_pb.ts";

/** One condition on one key. A key that does not exist has create revision, mod revision and version 0. */
export type Comparison = { readonly key: Bytes; readonly is: "=" | "!=" | "<" | ">" } & (
  | { readonly target: "version" | "createRevision" | "modRevision" | "lease"; readonly to: bigint }
  | { readonly target: "value"; readonly to: Bytes }
);

export type Operation =
  | ({ readonly kind: "range" } & Range)
  | ({ readonly kind: "put" } & Put)
  | ({ readonly kind: "delete" } & Deletion);

export type OperationResult =
  | ({ readonly kind: "range" } & RangeResult)
  | ({ readonly kind: "put" } & PutResult)
  | ({ readonly kind: "delete" } & DeletionResult);

/** Runs `success` if every comparison holds, else `failure`; atomically either way. */
export interface Transaction {
  readonly compare: readonly Comparison[];
  readonly success: readonly Operation[];
  readonly failure?: readonly Operation[];
}

export interface TransactionResult {
  readonly succeeded: boolean;
  readonly revision: bigint;
  /** One per operation that ran, in order. */
  readonly results: readonly OperationResult[];
}

export function transactionRequest(transaction: Transaction): MessageInitShape<typeof TxnRequestSchema> {
  return {
    compare: transaction.compare.map(comparison),
    success: transaction.success.map(requestOp),
    failure: (transaction.failure ?? []).map(requestOp),
  };
}

export function transactionResult({ header, succeeded, responses }: TxnResponse): TransactionResult {
  return { succeeded, revision: header?.revision ?? 0n, results: responses.flatMap(operationResult) };
}

const RESULTS = {
  "=": Compare_CompareResult.EQUAL,
  "!=": Compare_CompareResult.NOT_EQUAL,
  "<": Compare_CompareResult.LESS,
  ">": Compare_CompareResult.GREATER,
} as const;

const TARGETS = {
  version: Compare_CompareTarget.VERSION,
  createRevision: Compare_CompareTarget.CREATE,
  modRevision: Compare_CompareTarget.MOD,
  lease: Compare_CompareTarget.LEASE,
} as const;

function comparison(condition: Comparison): MessageInitShape<typeof CompareSchema> {
  const common = { key: toBytes(condition.key), result: RESULTS[condition.is] };
  if (condition.target === "value") {
    const targetUnion = { case: condition.target, value: toBytes(condition.to) };
    return { ...common, target: Compare_CompareTarget.VALUE, targetUnion };
  }
  const targetUnion = { case: condition.target, value: condition.to };
  return { ...common, target: TARGETS[condition.target], targetUnion };
}

function requestOp(operation: Operation): MessageInitShape<typeof RequestOpSchema> {
  switch (operation.kind) {
    case "range":
      return { request: { case: "requestRange", value: rangeRequest(operation) } };
    case "put":
      return { request: { case: "requestPut", value: putRequest(operation) } };
    case "delete":
      return { request: { case: "requestDeleteRange", value: deletionRequest(operation) } };
  }
}

function operationResult({ response }: ResponseOp): OperationResult[] {
  switch (response.case) {
    case "responseRange":
      return [{ kind: "range", ...rangeResult(response.value) }];
    case "responsePut":
      return [{ kind: "put", ...putResult(response.value) }];
    case "responseDeleteRange":
      return [{ kind: "delete", ...deletionResult(response.value) }];
    case undefined:
      return [];
  }
}
