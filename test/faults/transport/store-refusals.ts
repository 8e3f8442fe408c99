import type { ObjectStoreError } from "@etcd-operator/object-store";
import { s3Failure } from "@etcd-operator/object-store/s3/s3-error.ts";

export type StoreWrite = "put" | "delete";

/** What a store says to one request, and what its client makes of that. */
export interface StoreRefusal {
  readonly answer: { readonly name: string; readonly message: string; readonly status: number };
  /**
   * How often a client gets it: once, and it retries by itself; each time, and it fails; or it asks only once.
   */
  readonly heard: "once" | "each time" | "for good";
}

/**
 * A bucket's own words. Nothing is put or deleted on a condition; but a writer may be overtaken by another under the
 * same key.
 */
export const STORE_REFUSALS: Readonly<
  Record<"conflict" | "too-many" | "error", Readonly<Record<StoreWrite, StoreRefusal>>>
> = {
  conflict: {
    put: {
      answer: said(412, "PreconditionFailed", "At least one of the preconditions did not hold"),
      heard: "for good",
    },
    delete: { answer: said(409, "OperationAborted", "A conflicting operation is under way"), heard: "each time" },
  },
  "too-many": both({ answer: said(503, "SlowDown", "Reduce your request rate"), heard: "once" }),
  error: both({ answer: said(500, "InternalError", "An internal error occurred"), heard: "each time" }),
};

/** What the store's client returns to its caller, as the operator's own code has it. */
export function toldOf(operation: string, { answer: { name, message, status } }: StoreRefusal): ObjectStoreError {
  return s3Failure(operation, { name, message, $metadata: { httpStatusCode: status } }, (text) => text);
}

function said(status: number, name: string, message: string): StoreRefusal["answer"] {
  return { status, name, message };
}

function both(refusal: StoreRefusal): Readonly<Record<StoreWrite, StoreRefusal>> {
  return { put: refusal, delete: refusal };
}
