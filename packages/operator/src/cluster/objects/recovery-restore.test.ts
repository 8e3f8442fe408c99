import assert from "node:assert/strict";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { test } from "vitest";
import { type EtcdBackup, etcdBackup } from "../../api/etcd-backup.ts";
import { etcdRestore } from "../../api/etcd-restore.ts";
import { SCOPE_ANNOTATION } from "../../api/group.ts";
import { recoveryRestore } from "./recovery-restore.ts";

function aBackup(spec: object, status: object = {}): EtcdBackup {
  return etcdBackup.parse({
    metadata: { name: "nightly" },
    spec: { etcdCluster: { name: "example" }, ...spec },
    status,
  });
}

const S3 = { storageType: "S3", s3: { path: "bucket/etcd", awsSecret: "aws", endpoint: "https://s3.example.com" } };
const cluster = (metadata: object = {}) => ({
  ...anEtcdCluster({}, metadata),
  status: { incarnation: 3, clusterID: "c1" },
});

test("the restore by policy takes the newest verified backup out of the same store, and a survivor's data if that is newer", () => {
  const { metadata, spec } = recoveryRestore(
    cluster(),
    aBackup(S3, { lastBackup: { path: "bucket/etcd_v7", clusterID: "c1" } }),
  );
  assert.deepEqual([metadata.name, metadata.namespace], ["example-recovery-3", "prod"]);
  assert.match(JSON.stringify(metadata.ownerReferences), /"kind":"EtcdCluster","name":"example","uid":"uid-1"/);
  assert.deepEqual(spec, {
    etcdCluster: { name: "example" },
    backupStorageType: "S3",
    s3: { ...S3.s3, path: "bucket/etcd_v7" },
    preferNewerSurvivor: true,
  });
  assert.ok(etcdRestore.safeParse({ metadata, spec }).success);
});

test("it names the place of backups to come where there is none yet", () => {
  const volume = { claimName: "backups", path: "etcd" };
  const { spec } = recoveryRestore(cluster(), aBackup({ storageType: "Volume", volume }));
  assert.deepEqual([spec.backupStorageType, spec.volume], ["Volume", volume]);
});

test.each([["c2"], [undefined]])("it does not name a backup of another cluster (%s)", (clusterID) => {
  const { spec } = recoveryRestore(cluster(), aBackup(S3, { lastBackup: { path: "bucket/etcd_v7", clusterID } }));
  assert.equal(spec.s3?.path, "bucket/etcd");
});

test("the operator that manages the cluster manages its restore", () => {
  const wide = cluster({ annotations: { [SCOPE_ANNOTATION]: "clusterwide" } });
  assert.equal(recoveryRestore(wide, aBackup(S3)).metadata.annotations?.[SCOPE_ANNOTATION], "clusterwide");
  assert.equal(recoveryRestore(cluster(), aBackup(S3)).metadata.annotations, undefined);
});
