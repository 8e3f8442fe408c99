import type { Ground } from "./ground.ts";

/** On a ground on which nothing else is left. */
export async function newCluster(ground: Ground, spec: object): Promise<void> {
  await ground.emptied();
  await ground.withCluster(() => ground.createCluster(spec));
}
