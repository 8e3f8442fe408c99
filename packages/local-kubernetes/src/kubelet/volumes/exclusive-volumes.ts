import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { KubeletError } from "../kubelet-error.ts";
import type { NodeContext } from "../node-context.ts";

const SHARED = ["ReadWriteMany", "ReadOnlyMany"];

/**
 * Refuses a pod whose volume is for one node at a time while another node has it, as with a disk that is attached
 * there.
 */
export async function checkVolumesAreFree({ client, config }: NodeContext, pod: Stored<Pod>): Promise<void> {
  const { namespace } = pod.metadata;
  const claims = claimsOf(pod);
  if (config.nodes.length === 1 || claims.length === 0) return;
  const { items } = await client.list(resources.pods, { namespace });
  for (const name of claims) {
    const users = usersElsewhere(items, name, config.nodeName);
    if (users.length === 0) continue;
    const { spec } = await client.get(resources.persistentVolumeClaims, { namespace, name });
    if (spec?.accessModes?.some((mode) => SHARED.includes(mode))) continue;
    const why = `Volume is already used by pod(s) ${users.join(", ")}`;
    throw new KubeletError("volume-in-use", `Multi-Attach error for volume "${spec?.volumeName}" ${why}`);
  }
}

/** The pods that use a claim on another node: also those being deleted, as they may run until their object is gone. */
export function usersElsewhere(pods: readonly Stored<Pod>[], claim: string, nodeName: string): string[] {
  return pods
    .filter(({ spec }) => spec?.nodeName !== undefined && spec.nodeName !== nodeName)
    .filter(({ status }) => status?.phase !== "Succeeded" && status?.phase !== "Failed")
    .filter((pod) => claimsOf(pod).includes(claim))
    .map(({ metadata }) => metadata.name);
}

function claimsOf({ spec }: Pod): string[] {
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}
