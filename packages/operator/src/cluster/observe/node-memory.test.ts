import assert from "node:assert/strict";
import type { KubeClient } from "@etcd-operator/kubernetes-client";
import { KubernetesError } from "@etcd-operator/kubernetes-client";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, test } from "vitest";
import type { PodSeen } from "../model/observation.ts";
import { NodeMemory } from "./node-memory.ts";

const MINUTE_MS = 60_000;
const on = (...names: string[]) => names.map((nodeName) => ({ nodeName }) as PodSeen);
const cluster = anEtcdCluster({ size: 3 });
const failure = (code: "forbidden" | "unavailable") =>
  new KubernetesError(code, { operation: "LIST nodes", message: "no" });

/** A Kubernetes with one node in each zone. */
function aKubernetes(...zones: string[]) {
  const kubernetes = {
    zones,
    asked: 0,
    nowMs: 0,
    error: undefined as Error | undefined,
    async list(_: unknown, { keep }: { keep: (node: object) => object }) {
      kubernetes.asked += 1;
      if (kubernetes.error) throw kubernetes.error;
      const node = (zone: string) => ({
        metadata: { name: `n-${zone}`, labels: { "topology.kubernetes.io/zone": zone } },
        status: { conditions: [{ type: "Ready", status: "True" }], images: ["many"] },
      });
      return { items: kubernetes.zones.map(node).map(keep) };
    },
  };
  const memory = new NodeMemory(kubernetes as unknown as KubeClient, { monotonic: () => kubernetes.nowMs });
  return { kubernetes, memory };
}

const zonesSeen = async (memory: NodeMemory, pods = on("n-a")) =>
  (await memory.seenBy(cluster, pods))?.map(({ zone }) => zone).join();

describe("the nodes of Kubernetes", () => {
  test("are read once for all clusters that ask at the same moment, and again after ten minutes", async () => {
    const { kubernetes, memory } = aKubernetes("a", "b");
    assert.deepEqual(await Promise.all([zonesSeen(memory), zonesSeen(memory)]), ["a,b", "a,b"]);
    assert.equal(kubernetes.asked, 1);
    kubernetes.nowMs = 9 * MINUTE_MS;
    await zonesSeen(memory);
    assert.equal(kubernetes.asked, 1);
    kubernetes.nowMs = 10 * MINUTE_MS;
    kubernetes.zones.push("c");
    assert.equal(await zonesSeen(memory), "a,b", "what is known is told at once");
    assert.equal(kubernetes.asked, 2);
    assert.equal(await zonesSeen(memory), "a,b,c");
  });

  test("are read again for a pod on one that is not known, at most once a minute", async () => {
    const { kubernetes, memory } = aKubernetes("a");
    await zonesSeen(memory);
    await zonesSeen(memory, on("n-a", "n-new"));
    assert.equal(kubernetes.asked, 1);
    kubernetes.nowMs = MINUTE_MS;
    await zonesSeen(memory, on("n-a", "n-new"));
    assert.equal(kubernetes.asked, 2);
  });

  test("stay known while they cannot be read, which is tried once a minute", async () => {
    const { kubernetes, memory } = aKubernetes("a");
    await zonesSeen(memory);
    kubernetes.error = failure("unavailable");
    for (const [nowMs, asked] of [
      [10, 2],
      [10.5, 2],
      [11, 3],
    ] as const) {
      kubernetes.nowMs = nowMs * MINUTE_MS;
      assert.equal(await zonesSeen(memory), "a");
      assert.equal(kubernetes.asked, asked);
    }
  });

  test("are not known where they may not be read, which is tried once in ten minutes", async () => {
    const { kubernetes, memory } = aKubernetes("a");
    kubernetes.error = failure("forbidden");
    assert.equal(await zonesSeen(memory), undefined);
    kubernetes.nowMs = 9 * MINUTE_MS;
    assert.equal(await zonesSeen(memory), undefined);
    assert.equal(kubernetes.asked, 1);
  });

  test("are not read for clusters that cannot be spread over zones, or run nowhere yet", async () => {
    const { kubernetes, memory } = aKubernetes("a");
    assert.equal(await memory.seenBy(anEtcdCluster({ size: 1 }), on("n-a")), undefined);
    assert.equal(await memory.seenBy(cluster, [{} as PodSeen]), undefined);
    assert.equal(kubernetes.asked, 0);
  });
});
