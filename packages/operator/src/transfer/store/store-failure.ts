import type { KubernetesError, KubernetesErrorCode } from "@etcd-operator/kubernetes-client";
import { refusalInWords } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError, type ObjectStoreErrorCode } from "@etcd-operator/object-store";

const CODES: Partial<Record<KubernetesErrorCode, ObjectStoreErrorCode>> = {
  forbidden: "access-denied",
  unauthorized: "access-denied",
  invalid: "invalid",
  canceled: "aborted",
};

/** A Kubernetes error while a store is being opened; anything that is not the user's mistake may pass. */
export function storeFailure(operation: string, cause: KubernetesError): ObjectStoreError {
  return new ObjectStoreError(CODES[cause.code] ?? "unavailable", { operation, message: refusalInWords(cause), cause });
}
