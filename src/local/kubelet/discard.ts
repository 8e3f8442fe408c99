import { rm } from "node:fs/promises";

/** Removes a container's folder; what cannot be removed yet, such as a root that is still mounted for a moment, goes with the pod. */
export async function discard(dir: string, remove: typeof rm = rm): Promise<void> {
  await remove(dir, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
}
