import { A_CLAIM, anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { podDisruptionBudget } from "./pod-disruption-budget.ts";

describe("the disruption budget", () => {
  test.each([
    [2, 2],
    [3, 2],
    [4, 3],
    [5, 3],
    [6, 4],
    [7, 4],
  ])("of %i voters keeps %i", (voters, kept) => {
    expect(podDisruptionBudget(anEtcdCluster(), voters).spec?.minAvailable).toBe(kept);
  });

  test("counts the voters there are, not the size asked for: five on the way to three need three", () => {
    expect(podDisruptionBudget(anEtcdCluster({ size: 3 }), 5).spec?.minAvailable).toBe(3);
  });

  test("keeps as many pods more as there are ready ones that only bear its labels", () => {
    expect(podDisruptionBudget(anEtcdCluster(), 3, 2).spec?.minAvailable).toBe(4);
  });

  test("lets a drain move a single member that keeps its data on a claim", () => {
    const cluster = anEtcdCluster({ size: 1, pod: { persistentVolumeClaimSpec: A_CLAIM } });
    expect(podDisruptionBudget(cluster, 1).spec?.minAvailable).toBe(0);
  });

  test("holds a single member in an emptyDir, since a drain would delete the only copy", () => {
    expect(podDisruptionBudget(anEtcdCluster({ size: 1 }), 1).spec?.minAvailable).toBe(1);
  });

  test("selects the pods of this cluster and is deleted with it", () => {
    const labels = { app: "etcd", etcd_cluster: "example" };
    expect(podDisruptionBudget(anEtcdCluster(), 3)).toMatchObject({
      metadata: { name: "example", namespace: "prod", labels, ownerReferences: [{ uid: "uid-1" }] },
      spec: { selector: { matchLabels: labels } },
    });
  });
});
