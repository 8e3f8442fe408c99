import { WORKER_LABELS } from "../names.ts";
import { type PodRemover, removeOwnedPods } from "./owned-pods.ts";

export interface WorkerOwner {
  readonly namespace: string;
  readonly uid: string;
}

/**
 * The workers and drill pods of this process. An owner has one process at a time, so its other pods belong to a
 * process that has ended.
 */
const inUse = new Set<string>();

/**
 * Call it before the pod is created, so that the pod is not taken for abandoned. Returns the function to call when
 * it is not used any more.
 */
export function useWorker(namespace: string, name: string): () => void {
  const key = `${namespace}/${name}`;
  inUse.add(key);
  return () => void inUse.delete(key);
}

export function isInUse(namespace: string, name: string): boolean {
  return inUse.has(`${namespace}/${name}`);
}

/**
 * Removes the workers that a previous process left behind: one that was killed before it created their Secret leaves
 * pods that wait for ever.
 */
export async function removeAbandonedWorkers(
  client: PodRemover,
  { namespace, uid }: WorkerOwner,
  signal: AbortSignal,
): Promise<void> {
  const isUsed = (name: string) => isInUse(namespace, name);
  await removeOwnedPods(client, { namespace, uid, labels: WORKER_LABELS }, signal, isUsed);
}
