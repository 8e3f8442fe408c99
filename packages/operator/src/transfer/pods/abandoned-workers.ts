import { WORKER_LABELS } from "../names.ts";
import { type PodRemover, removeOwnedPods } from "./owned-pods.ts";

export interface WorkerOwner {
  readonly namespace: string;
  readonly uid: string;
}

/** The workers and drill pods of this very process. Who asks for one looks after its owner alone, so all others of that owner are of a process that is gone. */
const inUse = new Set<string>();

/** To be called before the pod is made: then nobody takes it for abandoned. Returns what to call when it is not used any more. */
export function useWorker(namespace: string, name: string): () => void {
  const key = `${namespace}/${name}`;
  inUse.add(key);
  return () => void inUse.delete(key);
}

export function isInUse(namespace: string, name: string): boolean {
  return inUse.has(`${namespace}/${name}`);
}

/** Removes the workers that a process of ours has left behind: one that was killed before it made their Secret leaves pods that wait for ever. */
export async function removeAbandonedWorkers(
  client: PodRemover,
  { namespace, uid }: WorkerOwner,
  signal: AbortSignal,
): Promise<void> {
  const isUsed = (name: string) => isInUse(namespace, name);
  await removeOwnedPods(client, { namespace, uid, labels: WORKER_LABELS }, signal, isUsed);
}
