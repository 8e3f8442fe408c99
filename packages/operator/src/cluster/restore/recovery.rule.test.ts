import assert from "node:assert/strict";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  type MemberGiven,
  NOW_MS,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { conditionIn, POSTPONED, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { EtcdRestore } from "../../api/etcd-restore.ts";
import type { RecoverySeen } from "../model/observation.ts";
import { plan } from "../plan.ts";
import { recheckMs } from "../status/recheck.status.ts";

const RECOVERY = { onQuorumLoss: "RestoreLatestBackup", backupName: "nightly", graceSeconds: 300 };
const ALL_GONE = [gone("a"), gone("b"), gone("c")];
const SURVIVOR = [gone("a"), gone("b"), unhealthy("c")];
const backup = {
  metadata: { name: "nightly" },
  spec: { storageType: "S3", s3: { path: "bucket/etcd", awsSecret: "aws" }, etcdCluster: { name: "example" } },
  status: { lastBackup: { path: "bucket/etcd_v100_2029-12-31-12:00:00", clusterID: CLUSTER_ID } },
} as EtcdBackup;
const { status: _, ...unverified } = backup;
const backupOf = (lastBackup: object) => ({ ...backup, status: { lastBackup } }) as EtcdBackup;
const foreign = backupOf({ path: "bucket/etcd_v9", clusterID: "another" });

interface Given {
  readonly members?: readonly MemberGiven[];
  readonly recovery?: Partial<RecoverySeen> | undefined;
  readonly policy?: object;
  readonly status?: EtcdClusterStatus;
  /** Seconds ago; null when nothing is on record. */
  readonly since?: number | null;
}

function seenWith({ members = ALL_GONE, recovery = {}, policy = RECOVERY, since = 300, status }: Given) {
  const seen = { backupName: "nightly", backup, restoreName: "example-recovery-1", restore: undefined, ...recovery };
  const memberStatus = members.map(
    ({ name }) => ({ name, id: name, role: "Unknown", health: "Unknown", podHash: "h" }) as const,
  );
  const notedAt = since === null ? {} : { majorityLostSince: new Date(NOW_MS - since * 1000).toISOString() };
  return anObservation({
    members,
    membership: members.some(({ health }) => health === "unhealthy") ? "unconfirmed" : "unknown",
    spec: { recovery: policy },
    status: { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running", memberStatus, ...notedAt, ...status },
    seen: { recovery: seen },
  });
}

function told(given: Given): string {
  const seen = seenWith(given);
  return conditionIn(statusOf(seen, plan(seen)), "QuorumLost").message ?? "";
}

describe("when the data of a majority has been gone for as long as the user lets it", () => {
  test("the newest verified backup is restored, or what a survivor has if it is newer", () => {
    const action = plan(seenWith({}));
    assert.ok(action.kind === "create-restore");
    assert.deepEqual([...action.lost].sort(), ["a", "b", "c"]);
    assert.equal(action.restore.metadata.name, "example-recovery-1");
    assert.deepEqual(action.restore.spec, {
      etcdCluster: { name: "example" },
      backupStorageType: "S3",
      s3: { path: "bucket/etcd_v100_2029-12-31-12:00:00", awsSecret: "aws" },
      preferNewerSurvivor: true,
    });
  });

  test("a survivor is restored from where nothing has been backed up yet", () => {
    const action = plan(seenWith({ members: SURVIVOR, recovery: { backup: unverified } }));
    assert.ok(action.kind === "create-restore");
    assert.equal(action.restore.spec.s3?.path, "bucket/etcd");
  });

  test("a survivor is restored from where the newest backup is another cluster's, which is not named", () => {
    const action = plan(seenWith({ members: SURVIVOR, recovery: { backup: foreign } }));
    assert.ok(action.kind === "create-restore");
    assert.equal(action.restore.spec.s3?.path, "bucket/etcd");
  });

  test("a backup in another store than the EtcdBackup names now is not searched for there", () => {
    const { status } = backup;
    const lastBackupOf = "EtcdCluster 'example' in S3 bucket 'old-bucket'";
    const edited = { ...backup, status: { ...status, lastBackupOf } };
    const action = plan(seenWith({ members: SURVIVOR, recovery: { backup: edited } }));
    assert.ok(action.kind === "create-restore");
    assert.equal(action.restore.spec.s3?.path, "bucket/etcd", "the survivor's");
    const editedBackup = { recovery: { backup: edited } };
    assert.equal(plan(seenWith(editedBackup)).reason, "NoQuorum");
    assert.match(told(editedBackup), /EtcdBackup 'nightly' was edited, and has no verified backup in its new location/);
  });

  test("nothing is restored where an edited EtcdBackup has left another cluster's backup at its path, though a survivor answers", () => {
    const lastBackup = { path: "bucket/etcd", clusterID: "another" };
    const edited = { ...backup, status: { lastBackup, lastBackupOf: "EtcdCluster 'other' in S3 bucket 'bucket'" } };
    const given = { members: SURVIVOR, recovery: { backup: edited as EtcdBackup } };
    assert.equal(plan(seenWith(given)).kind, "hold");
    assert.match(
      told(given),
      /was edited, and has no verified backup in its new location, only one of etcd cluster another/,
    );
    assert.match(told(given), /What you can do: .*restore a backup with an EtcdRestore for this cluster/);
  });

  test("its own backup from before an edit does not block", () => {
    const lastBackup = { path: "bucket/etcd", clusterID: CLUSTER_ID };
    const edited = { ...backup, status: { lastBackup, lastBackupOf: "https://10.0.0.1:2379 in S3 bucket 'bucket'" } };
    const recovery = { backup: edited as EtcdBackup };
    assert.equal(plan(seenWith({ members: SURVIVOR, recovery })).kind, "create-restore");
    assert.equal(plan(seenWith({ recovery })).reason, "NoQuorum");
  });

  test("of the cluster before the newest restore only what was restored is one of this cluster, not what was rolled back", () => {
    const { restore } = inRestore("Done");
    assert.ok(restore);
    const status = { restore: { ...restore, previousClusterID: "another" } };
    const withRevision = (revision: number) => {
      const lastBackup = { ...foreign.status?.lastBackup, path: "bucket/etcd_v9", revision };
      return { backup: { ...foreign, status: { ...foreign.status, lastBackup } } as EtcdBackup };
    };
    const action = plan(seenWith({ recovery: withRevision(restore.revision), status }));
    assert.ok(action.kind === "create-restore");
    assert.equal(action.restore.spec.s3?.path, "bucket/etcd_v9");
    const later = { recovery: withRevision(restore.revision + 4_900), status };
    assert.equal(plan(seenWith(later)).reason, "NoQuorum");
  });

  test("nothing happens where there is neither; and that is reported", () => {
    const given = { recovery: { backup: unverified } };
    assert.equal(plan(seenWith(given)).reason, "NoQuorum");
    assert.match(
      told(given),
      /cannot restore a backup: EtcdBackup 'nightly' has no verified backup of this cluster, and no member that could be restored from responds/,
    );
  });

  test.each<[string, Partial<RecoverySeen>, RegExp]>([
    ["there is no such EtcdBackup", { backup: undefined }, /EtcdBackup 'nightly' does not exist/],
    [
      "it is another cluster's",
      { backup: { ...backup, spec: { ...backup.spec, etcdCluster: { name: "other" } } } },
      /for the cluster 'other'/,
    ],
    [
      "what it backed up is another cluster's",
      { backup: foreign },
      /no verified backup of this cluster, and no member that could be restored from responds/,
    ],
    [
      "nothing tells of which cluster its backup is",
      { backup: backupOf({ path: "bucket/etcd_v9" }) },
      /no verified backup of this cluster, and no member that could be restored from responds/,
    ],
    [
      "another cluster's backup lies where the restore would look",
      { backup: backupOf({ path: "bucket/etcd", clusterID: "another" }) },
      /no verified backup of this cluster, only one of etcd cluster another/,
    ],
    ["it may not be read", { backup: undefined, why: "etcdbackups is forbidden" }, /etcdbackups is forbidden/],
  ])("nothing happens when %s; and that is told", (_, recovery, why) => {
    assert.equal(plan(seenWith({ recovery })).kind, "hold");
    assert.match(told({ recovery }), why);
  });
});

describe("no restore is asked for", () => {
  test("before the loss is recorded, and has lasted; until when is reported", () => {
    assert.equal(plan(seenWith({ since: null })).kind, "hold");
    assert.equal(plan(seenWith({ since: 299 })).kind, "hold");
    assert.match(
      told({ since: 240 }),
      /newest backup of EtcdBackup nightly after 2030-01-01T00:01:00Z, unless they come back/,
    );
    assert.equal(recheckMs(seenWith({ since: 240 })), 60_000);
  });

  test("a second time for the same incarnation, whatever became of the first", () => {
    const restore = (status: object, uid = "uid-1") =>
      ({ metadata: { name: "example-recovery-1", ownerReferences: [{ uid }] }, status }) as unknown as EtcdRestore;
    assert.equal(plan(seenWith({ recovery: { restore: restore({}) } })).kind, "hold");
    assert.match(
      told({ recovery: { restore: restore({ phase: "Verifying" }) } }),
      /EtcdRestore example-recovery-1: it is Verifying/,
    );
    const failed = restore({ succeeded: false, reason: "access denied" });
    assert.match(told({ recovery: { restore: failed } }), /it failed and will not be retried \(access denied\)/);
    assert.match(told({ recovery: { restore: restore({}, "another") } }), /was not created for this cluster/);
    const unnoted = seenWith({ recovery: { restore: restore({}) } });
    assert.equal(statusOf(unnoted, plan(unnoted)).recoveryIncarnation, 1);
  });

  test.each<[string, MemberGiven]>([
    ["of a third nothing is heard", unknown("c")],
    ["the claim of a third is there", gone("c", { claim: {} })],
  ])("while two of three are gone and %s, however long: it may have newer data; and that is told", (_, third) => {
    const given = { members: [gone("a"), gone("b"), third], since: 9_999 };
    assert.notEqual(plan(seenWith(given)).kind, "create-restore");
    assert.match(told(given), /: c may have newer data: bring it back, or restore manually/);
  });

  test("a second time for the same incarnation, when the first was deleted", () => {
    const first = seenWith({});
    assert.equal(statusOf(first, plan(first)).recoveryIncarnation, 1);
    assert.equal(statusOf(first, plan(first), POSTPONED).recoveryIncarnation, undefined);
    const given = { status: { recoveryIncarnation: 1 } };
    assert.equal(plan(seenWith(given)).kind, "hold");
    assert.match(told(given), /EtcdRestore 'example-recovery-1' was created for it and has been deleted/);
    assert.equal(statusOf(seenWith(given), plan(seenWith(given))).recoveryIncarnation, 1);
    assert.equal(plan(seenWith({ status: { recoveryIncarnation: 0 } })).kind, "create-restore");
  });

  test("for a cluster that was lost while it was being restored: a person decides what to restore from", () => {
    const status = { ...inRestore("Joining"), clusterID: CLUSTER_ID, phase: "Running" } as const;
    const seen = seenWith({ members: [gone("a")], status });
    assert.equal(plan(seen).kind, "hold");
    assert.match(
      told({ members: [gone("a")], status }),
      /: it was lost while EtcdRestore 'from-backup' restored it: restore manually\./,
    );
  });

  test("while members are only out of reach, however long", () => {
    const members = [unknown("a"), unknown("b"), unknown("c")];
    assert.equal(plan(seenWith({ members, since: 9_999 })).kind, "hold");
  });

  test("unless the user has asked for it: by default a person decides, and the message names the remedy", () => {
    const given = { policy: {}, recovery: undefined };
    assert.equal(plan(seenWith(given)).kind, "hold");
    assert.match(
      told(given),
      /restore a backup with an EtcdRestore for this cluster \(docs\/operations\/quorum-lost.md\)/,
    );
  });
});

describe("since when the data of a majority is gone", () => {
  test("is written down when it is first seen, kept, and forgotten when it is not so any more", () => {
    const lostSince = (given: Given) => statusOf(seenWith(given), plan(seenWith(given))).majorityLostSince;
    assert.equal(lostSince({ since: null }), "2030-01-01T00:00:00Z");
    assert.equal(lostSince({ since: 60 }), "2029-12-31T23:59:00.000Z");
    assert.equal(lostSince({ since: 60, members: [unknown("a"), unknown("b"), gone("c")] }), undefined);
  });
});
