import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { WORKER_OWNER_LABEL } from "../names.ts";

export type PodRemover = Pick<KubeClient, "list" | "delete">;

/** The pods that were made for an EtcdBackup or EtcdRestore, all of one sort. */
export interface OwnedPods {
  readonly namespace: string;
  /** Of that object. */
  readonly uid: string;
  /** Of that sort. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Removes the pods that a process of ours has left behind; `isUsed` says which are not. */
export async function removeOwnedPods(
  client: PodRemover,
  { namespace, uid, labels }: OwnedPods,
  signal: AbortSignal,
  isUsed: (name: string) => boolean = () => false,
): Promise<void> {
  const labelSelector = Object.entries({ ...labels, [WORKER_OWNER_LABEL]: uid })
    .map((label) => label.join("="))
    .join(",");
  const { items } = await client.list(resources.pods, { namespace, labelSelector, signal });
  const left = items.filter(({ metadata }) => !isUsed(metadata.name));
  await Promise.all(left.map((pod) => removePod(client, pod, signal)));
}

/** Removes this very pod; that it is gone, or another by now, is as good. */
export async function removePod(
  client: Pick<PodRemover, "delete">,
  { metadata }: Stored<Pod>,
  signal?: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = metadata;
  try {
    await client.delete(resources.pods, { namespace, name }, { preconditions: { uid }, ...(signal && { signal }) });
  } catch (error) {
    if (!hasCode(error, "not-found", "conflict")) throw error;
  }
}
