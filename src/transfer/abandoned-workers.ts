import type { Pod } from "kubernetes-types/core/v1.d.ts";
import type { Stored } from "../kubernetes/kube-object.ts";
import { resources } from "../kubernetes/resources.ts";
import type { KubeClient } from "../kubernetes/rest-client.ts";
import { WORKER_LABELS, WORKER_OWNER_LABEL } from "./names.ts";

type Client = Pick<KubeClient, "list" | "delete">;

export interface WorkerOwner {
  readonly namespace: string;
  readonly uid: string;
}

/** The workers of this very process. Who asks for one looks after its owner alone, so all others of that owner are of a process that is gone. */
const inUse = new Set<string>();

/** To be called before the pod is made: then nobody takes it for abandoned. Returns what to call when it is not used any more. */
export function useWorker(namespace: string, name: string): () => void {
  const key = `${namespace}/${name}`;
  inUse.add(key);
  return () => void inUse.delete(key);
}

/** Removes the workers that a process of ours has left behind: one that was killed before it made their Secret leaves pods that wait for ever. */
export async function removeAbandonedWorkers(
  client: Client,
  { namespace, uid }: WorkerOwner,
  signal: AbortSignal,
): Promise<void> {
  const labels = { ...WORKER_LABELS, [WORKER_OWNER_LABEL]: uid };
  const labelSelector = Object.entries(labels)
    .map((label) => label.join("="))
    .join(",");
  const { items } = await client.list(resources.pods, { namespace, labelSelector, signal });
  const abandoned = items.filter(({ metadata }) => !inUse.has(`${namespace}/${metadata.name}`));
  await Promise.all(abandoned.map((pod) => removeWorker(client, pod)));
}

/** Also when everything else is being called off, and without making a fuss: its owner takes it along when it goes. */
export async function removeWorker(client: Pick<Client, "delete">, { metadata }: Stored<Pod>): Promise<void> {
  const { namespace, name, uid } = metadata;
  await client.delete(resources.pods, { namespace, name }, { preconditions: { uid } }).catch(() => undefined);
}
