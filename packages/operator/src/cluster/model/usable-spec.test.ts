import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { usableSpec } from "./usable-spec.ts";

const STATUS = { clusterID: "c1", size: 3, currentVersion: "3.5.30" };

function usable(spec: unknown) {
  const metadata = { name: "example", namespace: "prod", uid: "uid-1", resourceVersion: "7" };
  const { cluster, invalidFields } = usableSpec({ metadata, spec, status: STATUS } as unknown as Stored<EtcdCluster>);
  return { spec: cluster.spec, invalidFields };
}

describe("of an invalid spec", () => {
  test("the rest is taken as it is, with its defaults", () => {
    const { spec, invalidFields } = usable({ size: 5, version: "3.5.30", recovery: { onQuorumLoss: "Pray" } });
    assert.deepEqual(invalidFields, ["spec.recovery.onQuorumLoss"]);
    assert.deepEqual([spec.size, spec.version, spec.memberReplacement.afterSeconds], [5, "3.5.30", 60]);
    assert.equal(spec.recovery.onQuorumLoss, "Manual");
  });

  test("what is wrong is replaced by what changes nothing", () => {
    const { spec, invalidFields } = usable({
      size: 9,
      version: "3.5.1",
      memberReplacement: { afterSeconds: "10m" },
      persistentVolumeClaimRetentionPolicy: { whenScaled: "Perhaps" },
    });
    assert.deepEqual([...invalidFields].sort(), [
      "spec.memberReplacement.afterSeconds",
      "spec.persistentVolumeClaimRetentionPolicy.whenScaled",
      "spec.size",
      "spec.version",
    ]);
    assert.deepEqual([spec.size, spec.version], [3, "3.5.30"]);
    assert.ok(spec.memberReplacement.afterSeconds > 1_000_000);
    assert.equal(spec.persistentVolumeClaimRetentionPolicy.whenScaled, "Retain");
  });

  test("what pods are made from stays as it is stored, where it can be read", () => {
    const etcdEnv = [{ name: "ETCD_DATA_DIR", value: "/elsewhere" }];
    const forbidden = usable({ size: 3, version: "3.5.30", pod: { etcdEnv } });
    assert.deepEqual(forbidden.spec.pod?.etcdEnv, etcdEnv);
    assert.deepEqual(forbidden.invalidFields, ["spec.pod.etcdEnv"]);
    const unreadable = usable({ size: 3, version: "3.5.30", pod: { etcdEnv: "ETCD_DATA_DIR=/elsewhere" } });
    assert.equal(unreadable.spec.pod?.etcdEnv, undefined);
  });

  test("nothing is used when it is no spec at all", () => {
    for (const spec of [{}, "three", []]) {
      const { invalidFields } = usable(spec);
      if (JSON.stringify(spec) === "{}") assert.deepEqual(invalidFields, ["spec.size"]);
      else assert.deepEqual(invalidFields, ["spec"]);
    }
  });
});
