import type { KubeClient, ObjectRef, Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { PersistentVolumeClaim, Pod } from "kubernetes-types/core/v1.d.ts";
import { WORKER_LABELS } from "../names.ts";

/** A pod that uses a claim, or will. */
export type ClaimUser = Stored<Pod>;

/**
 * The pods that use a claim and have not ended; those that end are among them, for they hold the volume until they are
 * gone.
 */
export async function usersOf(
  client: Pick<KubeClient, "list">,
  { namespace, name }: ObjectRef,
  signal: AbortSignal,
): Promise<readonly ClaimUser[]> {
  const { items } = await client.list(resources.pods, { namespace, signal, keep: whatCounts });
  return items.filter((pod) => uses(pod, name) && !hasEnded(pod));
}

/** Of a namespace with thousands of pods little is kept. */
function whatCounts({ apiVersion, kind, metadata, spec, status }: Stored<Pod>): Stored<Pod> {
  const volumes = spec?.volumes?.filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined) ?? [];
  const { nodeName } = spec ?? {};
  const { managedFields: _, ...kept } = metadata;
  return {
    apiVersion,
    kind,
    metadata: kept,
    spec: { containers: [], volumes, ...(nodeName && { nodeName }) },
    ...(status?.phase && { status: { phase: status.phase } }),
  };
}

export function uses({ spec }: Pod, claimName: string): boolean {
  return (spec?.volumes ?? []).some(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName === claimName);
}

function hasEnded({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

export function isWorker({ metadata }: ClaimUser): boolean {
  return Object.entries(WORKER_LABELS).every(([key, value]) => metadata.labels?.[key] === value);
}

/** Whether pods on several nodes may write to a claim at the same time. */
export function isShared({ spec, status }: PersistentVolumeClaim): boolean {
  return (status?.accessModes ?? spec?.accessModes ?? []).includes("ReadWriteMany");
}

/** Whether one pod alone may use it. */
export function isForOnePod({ spec }: PersistentVolumeClaim): boolean {
  return spec?.accessModes?.includes("ReadWriteOncePod") ?? false;
}
