import { EtcdError, type EtcdErrorCode } from "@etcd-operator/etcd-client";
import { hasCode, messageOf } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { SnapshotError } from "./snapshot-error.ts";

const ETCD_NEEDS_FIX: readonly EtcdErrorCode[] = ["tls", "auth", "unsupported"];

/** Whether a failure stays until a person fixes its cause; else a retry may succeed. */
export function needsFix(error: unknown): boolean {
  if (error instanceof ObjectStoreError || error instanceof SnapshotError) return !error.isTransient;
  if (error instanceof EtcdError) return ETCD_NEEDS_FIX.includes(error.code);
  return hasCode(error, "not-found", "forbidden", "invalid");
}

/** What went wrong and, where its own message does not say so, what to do. */
export function explained(error: unknown): string {
  const message = messageOf(error);
  const advice = error instanceof EtcdError ? ADVICE[error.code] : undefined;
  return advice ? `${message}: ${advice}` : message;
}

const ADVICE: Partial<Record<EtcdErrorCode, string>> = {
  tls: "check that spec.clientTLSSecret, or the cluster's operatorSecret, has a certificate that etcd accepts and the CA of etcd's certificate",
  auth: "etcd has authentication enabled; use a certificate of a user with the role root",
};
