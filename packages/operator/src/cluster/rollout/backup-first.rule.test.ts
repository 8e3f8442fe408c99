import assert from "node:assert/strict";
import { anObservation, healthy } from "@etcd-operator/testing/cluster/an-observation.ts";
import { answering, running } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { Observation, UpgradeBackupSeen } from "../model/observation.ts";
import { plan } from "../plan.ts";

const name = "example-before-3.6-1";
const template = { metadata: { name: "nightly" }, spec: { storageType: "S3", s3: { path: "b/k" } } } as EtcdBackup;

/** Three members of 3.5 that are to become 3.6. */
function upgraded(upgradeBackup: UpgradeBackupSeen | undefined): Observation {
  const spec = { version: "3.6.16", upgrade: { backupName: "nightly" } };
  const seen = anObservation({ spec, members: ["a", "b", "c"].map((member) => healthy(member)) });
  return { ...running("3.5.35", seen, "a", "b", "c"), upgradeBackup };
}

describe("before members leave their minor", () => {
  test("the backup that the user wants is asked for", () => {
    const action = plan(upgraded({ kind: "missing", name, template }));
    assert.ok(action.kind === "create-backup");
    assert.equal(action.backup.metadata.name, name);
    assert.equal(action.backup.spec.etcdCluster?.name, "example");
  });

  test("nothing else waits for it to be asked for, because that may be refused for ever", () => {
    const { cluster, ...seen } = upgraded({ kind: "missing", name, template });
    const more = (spec: object) => plan({ ...seen, cluster: { ...cluster, spec: { ...cluster.spec, ...spec } } });
    assert.equal(more({ size: 5 }).kind, "declare-join");
    assert.equal(more({ pod: { nodeSelector: { disk: "ssd" } } }).kind, "declare-join");
    assert.equal(more({ pod: { labels: { team: "a" } } }).kind, "patch-pods");
    const reached = { index: 10, term: 1, revision: 100, at: "2030-01-01T00:00:00Z" };
    assert.equal(plan({ ...seen, cluster, savedLogs: new Map([["a", reached]]) }).kind, "record-logs");
  });

  test("it is waited for, and checked again", () => {
    const action = plan(upgraded({ kind: "running", name }));
    assert.ok(action.kind === "hold");
    assert.equal(action.reason, "BackupBeforeUpgrade");
    assert.equal(action.recheckAfterMs, 2_000);
  });

  test("once it is there the members follow", () => {
    const action = plan(upgraded({ kind: "succeeded", name }));
    assert.ok(!["hold", "none", "create-backup"].includes(action.kind), action.kind);
  });

  test("one that failed, or that does not exist, is reported with what to do, and no member is stopped", () => {
    const failed = plan(upgraded({ kind: "failed", name, why: "no such bucket" }));
    assert.deepEqual([failed.kind, failed.reason], ["hold", "VersionRefused"]);
    assert.match(failed.message, /example-before-3\.6-1 did not succeed: no such bucket; delete it to try again/);
    assert.match(
      plan(upgraded({ kind: "no-template", name: "nightly" })).message,
      /'nightly': this EtcdBackup does not exist/,
    );
  });

  test("a rollout that has begun is not stopped: the backup is of the data before it", () => {
    const seen = upgraded({ kind: "running", name });
    const mixed = answering({ version: "3.6.16" }, seen, "a");
    assert.notEqual(plan(mixed).reason, "BackupBeforeUpgrade");
  });

  test("a member that dies meanwhile is replaced", () => {
    const seen = upgraded({ kind: "running", name });
    const gone = { ...seen, pods: seen.pods.filter((pod) => pod.name !== "c") };
    assert.equal(plan(gone).kind, "remove-member");
  });
});
