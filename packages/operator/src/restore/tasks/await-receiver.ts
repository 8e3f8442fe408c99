import type { KubeClient, Stored } from "@etcd-operator/kubernetes-client";
import { hasCode, Informer, linkedAbort, onAbort, resources } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import type { Pod } from "kubernetes-types/core/v1.d.ts";
import { RECEIVE_CONTAINER } from "../../transfer/names.ts";

export interface AwaitedPod {
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string;
}

/**
 * Where a pod listens for its snapshot, as soon as it does; undefined when it has one already. Follows this one pod, so
 * that nothing is lost between its start and the first byte.
 */
export async function awaitReceiver(
  client: Pick<KubeClient, "get" | "list" | "watch">,
  awaited: AwaitedPod,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace, name, uid } = awaited;
  const end = linkedAbort(signal);
  const pods = new Informer<Pod>({
    client,
    resource: resources.pods,
    namespace,
    fieldSelector: `metadata.name=${name}`,
  });
  const answer = new Promise<string | undefined>((resolve, reject) => {
    onAbort(end.signal, () => reject(signal.reason));
    pods.onChange(() => {
      if (!pods.cache.hasSynced) return;
      const pod = pods.cache.get({ namespace, name });
      if (pod?.metadata.uid !== uid) isGone(client, awaited, end.signal).then((is) => is && reject(gone(name)), reject);
      else if (hasReceived(pod)) resolve(undefined);
      else if (isReceiving(pod)) resolve(pod.status?.podIP);
    });
  });
  const following = pods.run(end.signal);
  try {
    return await answer;
  } finally {
    end.abort();
    end.unlink();
    await following;
  }
}

/** A list may be older than the pod, and its absence ends the restore: so it is read by name. */
async function isGone(
  client: Pick<KubeClient, "get">,
  { namespace, name, uid }: AwaitedPod,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return (await client.get(resources.pods, { namespace, name }, { signal })).metadata.uid !== uid;
  } catch (error) {
    if (hasCode(error, "not-found")) return true;
    throw error;
  }
}

function isReceiving(pod: Stored<Pod>): boolean {
  return stateIn(pod)?.running !== undefined && Boolean(pod.status?.podIP);
}

function hasReceived(pod: Stored<Pod>): boolean {
  return stateIn(pod)?.terminated?.exitCode === 0;
}

function stateIn({ status }: Stored<Pod>) {
  return status?.initContainerStatuses?.find(({ name }) => name === RECEIVE_CONTAINER)?.state;
}

/** Final: what is sent to another one is another piece of work. */
function gone(name: string): ObjectStoreError {
  return new ObjectStoreError("not-found", {
    operation: `wait for pod '${name}'`,
    message: "it was deleted; another one replaces it",
  });
}
