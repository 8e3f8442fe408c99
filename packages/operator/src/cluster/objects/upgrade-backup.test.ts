import assert from "node:assert/strict";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { test } from "vitest";
import { type EtcdBackup, etcdBackup } from "../../api/etcd-backup.ts";
import { SCOPE_ANNOTATION } from "../../api/group.ts";
import { upgradeBackup } from "./upgrade-backup.ts";

const S3 = { path: "bucket/etcd", awsSecret: "aws" };

function aBackup(spec: object = {}): EtcdBackup {
  return etcdBackup.parse({
    metadata: { name: "nightly", namespace: "prod" },
    spec: { etcdEndpoints: ["http://somewhere:2379"], storageType: "S3", s3: S3, ...spec },
  });
}

test("the backup before an upgrade goes to the same store, beside what lies there, and is of this cluster", () => {
  const cluster = anEtcdCluster({ version: "3.6.16" }, { generation: 7 });
  const { metadata, spec } = upgradeBackup(cluster, aBackup());
  assert.equal(metadata.name, "example-before-3.6-7");
  assert.equal(metadata.namespace, "prod");
  assert.equal(JSON.stringify(metadata.ownerReferences).includes('"uid":"uid-1"'), true);
  assert.deepEqual(spec, {
    storageType: "S3",
    s3: { ...S3, path: "bucket/etcd-before-3.6-7" },
    etcdCluster: { name: "example" },
  });
  assert.ok(etcdBackup.safeParse({ metadata, spec }).success);
});

test("is taken once, also when the other is periodic, and may take as long as that one", () => {
  const template = aBackup({ backupPolicy: { backupIntervalInSecond: 60, maxBackups: 3, timeoutInSecond: 900 } });
  assert.deepEqual(upgradeBackup(anEtcdCluster(), template).spec.backupPolicy, { timeoutInSecond: 900 });
  const longer = { ...template, spec: { ...template.spec, backupPolicy: { timeoutInSecond: 86_400 } } };
  assert.deepEqual(upgradeBackup(anEtcdCluster(), longer).spec.backupPolicy, { timeoutInSecond: 21_600 });
});

test("belongs to the same scope as its cluster", () => {
  const cluster = anEtcdCluster({}, { annotations: { [SCOPE_ANNOTATION]: "clusterwide", other: "x" } });
  assert.deepEqual(upgradeBackup(cluster, aBackup()).metadata.annotations, { [SCOPE_ANNOTATION]: "clusterwide" });
});

test("lies beside a file on a volume, too", () => {
  const volume = { claimName: "backups", path: "etcd/db" };
  const { s3: _, ...rest } = aBackup().spec;
  const template = { ...aBackup(), spec: { ...rest, storageType: "Volume" as const, volume } };
  assert.deepEqual(upgradeBackup(anEtcdCluster({}, { generation: 2 }), template).spec.volume, {
    claimName: "backups",
    path: "etcd/db-before-3.5-2",
  });
});
