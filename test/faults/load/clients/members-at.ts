import { setTimeout as pause } from "node:timers/promises";
import type { ClusterUnderTest } from "@etcd-operator/testing/scenario/cluster/cluster-under-test.ts";

const EVERY_MS = 500;
const CLIENT_PORT = 2379;

/** The addresses of a cluster's members, as far as known; out of date while no member answers. */
export class MembersAt {
  #addresses: readonly string[] = [];

  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** Looks again and again until the signal. */
  async follow(cluster: Pick<ClusterUnderTest, "pods">, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const pods = await cluster.pods().catch(() => undefined);
      if (pods)
        this.#addresses = pods.flatMap(({ status }) => (status?.podIP ? [`${status.podIP}:${CLIENT_PORT}`] : []));
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
