import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { describeProblem, judge } from "./judge.ts";

describe("judging an object", () => {
  test("a valid cluster comes back with its defaults", () => {
    const judgement = judge("EtcdCluster", { metadata: { name: "a" }, spec: { size: 3 } });
    assert.ok(judgement.kind === "valid");
    assert.equal(judgement.object.spec.version, "");
    assert.equal(judgement.object.spec.bootstrap.mode, "Sequential");
    assert.equal(judgement.object.spec.memberReplacement.afterSeconds, 60);
  });

  test("other spellings of version and repository are read as one, also in the template of a restore", () => {
    const spellings: [given: object, version: string, repository: string][] = [
      [{ version: "v3.5.16" }, "3.5.16", "quay.io/coreos/etcd"],
      [{ version: "v3.5.17-amd64" }, "3.5.17-amd64", "quay.io/coreos/etcd"],
      [{ version: "3.5.16", repository: "registry.local:5000/etcd/" }, "3.5.16", "registry.local:5000/etcd"],
      [{ version: "", repository: "" }, "", "quay.io/coreos/etcd"],
    ];
    for (const [given, version, repository] of spellings) {
      const spec = { size: 1, ...given };
      const cluster = judge("EtcdCluster", { metadata: { name: "a" }, spec });
      assert.ok(cluster.kind === "valid");
      const s3 = { path: "bucket/a", awsSecret: "aws" };
      const restore = judge("EtcdRestore", {
        metadata: { name: "a" },
        spec: { etcdCluster: { name: "a" }, clusterTemplate: { spec }, backupStorageType: "S3", s3 },
      });
      assert.ok(restore.kind === "valid");
      for (const read of [cluster.object.spec, restore.object.spec.clusterTemplate?.spec]) {
        assert.deepEqual([read?.version, read?.repository], [version, repository]);
      }
    }
  });

  test("a refused version is quoted as it was written", () => {
    const judgement = judge("EtcdCluster", { metadata: { name: "a" }, spec: { size: 1, version: "v3.9.1" } });
    assert.ok(judgement.kind === "invalid");
    assert.match(judgement.problems.map(describeProblem).join(), /"v3\.9\.1".*'v3\.9\.1'/);
  });

  test("keys that Kubernetes may add to a pod's fields are kept", () => {
    const affinity = { nodeAffinity: { fromTheFuture: true } };
    const judgement = judge("EtcdCluster", { metadata: { name: "a" }, spec: { size: 1, pod: { affinity } } });
    assert.ok(judgement.kind === "valid");
    assert.deepEqual(judgement.object.spec.pod?.affinity, affinity);
  });

  test("all problems are reported at once, each with its field", () => {
    const judgement = judge("EtcdCluster", {
      metadata: { name: "a" },
      spec: { size: 0, version: "x", etcd: { snapshotCount: 0 } },
    });
    assert.ok(judgement.kind === "invalid");
    assert.deepEqual(
      judgement.problems.map(({ field, value }) => [field, value]),
      [
        ["spec.size", 0],
        ["spec.version", "x"],
        ["spec.etcd.snapshotCount", 0],
      ],
    );
  });

  test("a rule is judged beside a malformed field, unless it reads that field", () => {
    const problemsOf = (policy: object) => {
      const spec = { etcdEndpoints: ["a:1"], storageType: "Volume", volume: {}, backupPolicy: policy };
      const judgement = judge("EtcdBackup", { metadata: { name: "a" }, spec });
      assert.ok(judgement.kind === "invalid");
      return judgement.problems.map(({ field }) => field);
    };
    const missing = ["spec.volume.claimName", "spec.volume.path"];
    assert.deepEqual(problemsOf({ timeZone: "UTC", maxBackups: "x" }).sort(), [
      "spec.backupPolicy",
      "spec.backupPolicy.maxBackups",
      ...missing,
    ]);
    assert.deepEqual(problemsOf({ timeZone: "UTC", schedule: 7 }).sort(), ["spec.backupPolicy.schedule", ...missing]);
  });

  test("an element of a list is named by its place", () => {
    const spec = { etcdEndpoints: ["a:1", "b c"], storageType: "GCS", gcs: { path: "b/k" } };
    const judgement = judge("EtcdBackup", { metadata: { name: "a" }, spec });
    assert.ok(judgement.kind === "invalid");
    assert.deepEqual(
      judgement.problems.map(({ field }) => field),
      ["spec.etcdEndpoints[1]"],
    );
  });

  test("something that is no object at all is refused, not thrown on", () => {
    for (const nonsense of [undefined, null, "text", 7, [], { spec: null }]) {
      assert.equal(judge("EtcdRestore", nonsense).kind, "invalid");
    }
  });

  test("a long value is cut in the line that describes it", () => {
    const line = describeProblem({ field: "spec", value: "x".repeat(1000), message: "too long" });
    assert.ok(line.length < 250);
  });
});
