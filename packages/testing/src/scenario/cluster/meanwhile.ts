import { setTimeout as pause } from "node:timers/promises";
import type { ClusterUnderTest } from "./cluster-under-test.ts";

/**
 * What a condition of a cluster says while something goes on, whenever it is true; read often, so a moment may be
 * missed.
 */
export async function trueMeanwhile(
  cluster: ClusterUnderTest,
  type: string,
  work: () => Promise<unknown>,
): Promise<readonly string[]> {
  const said = new Set<string>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const { status } = await cluster.get();
      const found = status?.conditions?.find((condition) => condition.type === type);
      if (found?.status === "True") said.add(`${found.reason}: ${found.message}`);
      await pause(50);
    }
  })();
  try {
    await work();
  } finally {
    isOver = true;
    await looking;
  }
  return [...said];
}
