import assert from "node:assert/strict";
import { anEtcdBackup } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { describe, test } from "vitest";
import { backupPlace, currentBackup } from "./backup-place.ts";

const s3 = { path: "bucket/etcd/nightly", awsSecret: "aws", endpoint: "https://minio:9000" };
const placeOf = (spec: object) => backupPlace(anEtcdBackup({ spec }).spec);
const otherStore = (spec: object) => placeOf({ s3: undefined, ...spec });
const lastBackup = { path: "bucket/etcd/nightly_v7", revision: 7 };

describe("the place of a backup", () => {
  test.each([
    ["S3", placeOf({ s3 }), "EtcdCluster 'example' in S3 bucket 'bucket' at https://minio:9000"],
    ["AWS itself", placeOf({}), "EtcdCluster 'example' in S3 bucket 'bucket'"],
    [
      "Azure",
      otherStore({ abs: { path: "c/k", absSecret: "azure" } }),
      "EtcdCluster 'example' in Azure container 'c' of Secret 'azure'",
    ],
    ["Google", otherStore({ gcs: { path: "b/k" } }), "EtcdCluster 'example' in GCS bucket 'b'"],
    ["Alibaba", otherStore({ oss: { path: "b/k", ossSecret: "oss" } }), "EtcdCluster 'example' in OSS bucket 'b'"],
    ["a volume", otherStore({ volume: { claimName: "c", path: "k" } }), "EtcdCluster 'example' in volume 'c'"],
  ])("of %s is told in words", (_, place, words) => {
    assert.equal(place, words);
  });

  test.each([
    ["the path inside the bucket", { s3: { ...s3, path: "bucket/other/key" } }],
    ["the Secret", { s3: { ...s3, awsSecret: "renewed" } }],
    ["when backups are taken", { s3, backupPolicy: { schedule: "0 0 * * *" } }],
    ["the certificate", { s3, clientTLSSecret: "other" }],
  ])("stays the same whatever is %s", (_, spec) => {
    assert.equal(placeOf(spec), placeOf({ s3 }));
  });

  test.each([
    ["bucket", { s3: { ...s3, path: "other/etcd/nightly" } }],
    ["server", { s3: { ...s3, endpoint: "https://ceph" } }],
    ["kind of store", { s3: undefined, gcs: { path: s3.path } }],
    ["cluster", { s3, etcdCluster: { name: "other" } }],
    ["endpoints", { s3, etcdCluster: undefined, etcdEndpoints: ["http://other:2379"] }],
  ])("is another one with another %s", (_, spec) => {
    assert.notEqual(placeOf(spec), placeOf({ s3 }));
  });

  test("does not depend on the order of endpoints, and is never too long for a status", () => {
    const of = (...etcdEndpoints: string[]) => placeOf({ etcdCluster: undefined, etcdEndpoints });
    assert.equal(of("http://a:2379", "http://b:2379"), of("http://b:2379", "http://a:2379"));
    const many = Array.from({ length: 64 }, (_, index) => `http://${"x".repeat(1_000)}${index}:2379`);
    assert.ok(of(...many).length < 4_096);
    assert.notEqual(of(...many), of(...many.slice(1)));
  });
});

describe("the newest backup counts", () => {
  const lastBackupOf = placeOf({ s3 });
  const counts = (spec: object, status: object) => currentBackup(anEtcdBackup({ spec, status })) !== undefined;

  test("as long as the spec says what it said", () => {
    assert.ok(counts({ s3 }, { lastBackup, lastBackupOf }));
    assert.ok(counts({ s3: { ...s3, path: "bucket/other" } }, { lastBackup, lastBackupOf }));
  });

  test("no more when another store or another cluster is named", () => {
    assert.ok(!counts({ s3: { ...s3, path: "other/etcd/nightly" } }, { lastBackup, lastBackupOf }));
    assert.ok(!counts({ s3, etcdCluster: { name: "other" } }, { lastBackup, lastBackupOf }));
  });

  test("when its location was not recorded", () => {
    assert.ok(counts({ s3 }, { lastBackup }));
    assert.ok(!counts({ s3 }, {}));
  });
});
