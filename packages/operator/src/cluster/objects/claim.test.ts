import { A_CLAIM, anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { describe, expect, test } from "vitest";
import { claim } from "./claim.ts";

const pod = { persistentVolumeClaimSpec: A_CLAIM };

describe("the claim of a member", () => {
  test("does not exist where members live in an emptyDir", () => {
    expect(claim(anEtcdCluster(), "example-a", 1)).toBeUndefined();
  });

  test("is named after its pod and says which cluster and incarnation it belongs to", () => {
    expect(claim(anEtcdCluster({ pod }), "example-a", 2)).toMatchObject({
      metadata: {
        name: "example-a",
        namespace: "prod",
        labels: { app: "etcd", etcd_cluster: "example", etcd_node: "example-a" },
        annotations: {
          "etcd.database.coreos.com/cluster-uid": "uid-1",
          "etcd.database.coreos.com/incarnation": "2",
        },
      },
      spec: A_CLAIM,
    });
  });

  test("has no owner when it is to outlive the cluster: the garbage collector would take it", () => {
    expect(claim(anEtcdCluster({ pod }), "example-a", 1)?.metadata?.ownerReferences).toBeUndefined();
  });

  test("is owned by the cluster when it is to be deleted with it", () => {
    const persistentVolumeClaimRetentionPolicy = { whenDeleted: "Delete" };
    const made = claim(anEtcdCluster({ pod, persistentVolumeClaimRetentionPolicy }), "example-a", 1);
    expect(made?.metadata?.ownerReferences).toMatchObject([{ kind: "EtcdCluster", uid: "uid-1", controller: true }]);
  });

  test("hands on fields that this operator does not know, and asks for one writer where nothing is said", () => {
    const persistentVolumeClaimSpec = { resources: A_CLAIM.resources, storageClassName: "fast", fromTheFuture: true };
    expect(claim(anEtcdCluster({ pod: { persistentVolumeClaimSpec } }), "example-a", 1)?.spec).toEqual({
      ...persistentVolumeClaimSpec,
      accessModes: ["ReadWriteOnce"],
    });
  });
});
