import type { KubernetesError, KubernetesErrorCode } from "../kubernetes/kubernetes-error.ts";
import { refusalInWords } from "../kubernetes/refusal-in-words.ts";
import { ObjectStoreError, type ObjectStoreErrorCode } from "../objectstore/object-store-error.ts";

const CODES: Partial<Record<KubernetesErrorCode, ObjectStoreErrorCode>> = {
  forbidden: "access-denied",
  unauthorized: "access-denied",
  invalid: "invalid",
  canceled: "aborted",
};

/** What Kubernetes says while a store is being opened; whatever is not somebody's mistake may be over later. */
export function storeFailure(operation: string, cause: KubernetesError): ObjectStoreError {
  return new ObjectStoreError(CODES[cause.code] ?? "unavailable", { operation, message: refusalInWords(cause), cause });
}
