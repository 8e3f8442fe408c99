import type { ClusterUnderTest } from "./cluster-under-test.ts";

/** Watches until stopped, and returns the fewest members that were seen ready. */
export function fewestReady(cluster: ClusterUnderTest): () => Promise<number> {
  const over = new AbortController();
  let fewest = Number.POSITIVE_INFINITY;
  const look = async () => {
    while (!over.signal.aborted) {
      const pods = await cluster.pods();
      const isReady = (pod: (typeof pods)[number]) =>
        pod.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True");
      fewest = Math.min(fewest, pods.filter(isReady).length);
    }
  };
  const looking = look();
  return async () => {
    over.abort();
    await looking;
    return fewest;
  };
}
