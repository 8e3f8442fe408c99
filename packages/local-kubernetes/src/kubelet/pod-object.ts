import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";

const usualGraceSeconds = 30;

/** It is deleted, and stays until its containers have ended. */
export function isGoing({ metadata }: Stored<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** How long its containers have to end. */
export function graceMsOf(pod: Stored<Pod>): number {
  const { metadata, spec } = pod;
  const seconds = isGoing(pod) ? metadata.deletionGracePeriodSeconds : spec?.terminationGracePeriodSeconds;
  return (seconds ?? usualGraceSeconds) * 1000;
}

/** A pod that is over keeps the address that it had. */
export function lastIpOf(pod: Stored<Pod>): string | undefined {
  const { status } = pod;
  const isUnderWay = status?.phase === "Pending" || status?.phase === "Running";
  return isUnderWay && !isGoing(pod) ? undefined : status?.podIP;
}

/** Has the API server forget this very pod, of which nothing runs any more. */
export async function removePod(
  client: Pick<KubeClient, "delete">,
  { metadata: { namespace, name, uid } }: Stored<Pod>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete(resources.pods, { namespace, name }, { gracePeriodSeconds: 0, preconditions: { uid }, signal });
  } catch (error) {
    if (!hasCode(error, "not-found", "conflict")) throw error;
  }
}
