import assert from "node:assert/strict";
import { ended, NO_RUNS, planned, READY, SAVED_RUN } from "@etcd-operator/testing/restore/a-ready-restore.ts";
import {
  aRestoreSeen,
  type RestoreGiven as Given,
  NOW_MS,
  SAFETY,
  SNAPSHOT,
  VERIFIED,
} from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

describe("what took longer to save than it stays fresh", () => {
  const safetySnapshot = { ...SAFETY, takenAt: "2030-01-01T10:00:00Z" };
  const runs = { ...NO_RUNS, save: ended({ kind: "saved", snapshot: safetySnapshot, verifiedMs: NOW_MS }) };
  const slow: Given = { status: { ...READY.status, startedAt: "2030-01-01T09:00:00Z", safetySnapshot }, runs };

  test("is fresh when it ends: else it would be saved for ever", () => {
    assert.equal(planned(slow), "request");
  });

  test("is saved again when it ended a while ago", () => {
    assert.equal(planned({ ...slow, nowMs: NOW_MS + 15 * 60_000 + 1 }), "save");
  });
});

describe("what is saved again in an attempt", () => {
  const again = (revision: number) => {
    const snapshot = { ...SAFETY, revision, path: "backups/etcd_safety_later", sha256: "ef".repeat(32) };
    return { ...NO_RUNS, save: ended({ kind: "saved", snapshot, verifiedMs: NOW_MS }) };
  };
  const prefers: Given = { spec: { preferNewerSurvivor: true } };
  const survivor: Given = { ...prefers, status: { ...READY.status, snapshot: SAFETY } };
  const unsaved = { ...NO_RUNS, save: ended({ kind: "no-member", why: "gone" }) };
  const recorded = (given: Given) => {
    const action = plan(aRestoreSeen({ ...READY, ...given }));
    assert.ok(action.kind === "record-saved");
    return [action.safetySnapshot?.path, action.snapshot.path];
  };

  test("replaces the recorded one, when it is not older", () => {
    assert.deepEqual(recorded({ runs: again(90) }), ["backups/etcd_safety_later", SNAPSHOT.path]);
  });

  test("does not when it is older: the recorded one stays, and the cluster is asked", () => {
    assert.equal(planned({ ...READY, runs: again(89) }), "request");
    assert.equal(planned({ ...READY, ...survivor, runs: again(89) }), "request");
  });

  test("is not taken for the backup: a newer survivor is restored, and is recorded once", () => {
    assert.deepEqual(recorded({ ...survivor, runs: again(91) }), Array(2).fill("backups/etcd_safety_later"));
    assert.equal(planned({ ...READY, ...survivor, runs: SAVED_RUN }), "request");
  });

  test("keeps restoring the recorded survivor, when no member responds any more", () => {
    assert.deepEqual(recorded({ ...survivor, runs: unsaved }), [undefined, SAFETY.path]);
  });

  test("does not push a newer one of an earlier attempt off the record, but restores none of that", () => {
    const status = { ...READY.status, startedAt: "2030-01-01T11:59:30Z", conditions: [VERIFIED] };
    const earlier = { ...READY, status };
    assert.deepEqual(recorded({ ...earlier, runs: again(80) }), [SAFETY.path, SNAPSHOT.path]);
    const unverified = { ...VERIFIED, status: "False" as const };
    const refused = { ...prefers, status: { ...status, conditions: [unverified] } };
    assert.deepEqual(recorded({ ...refused, runs: again(80) }), Array(2).fill("backups/etcd_safety_later"));
  });
});

describe("a backup that was replaced since it was verified", () => {
  const change = { reason: "Replaced", message: "'backups/etcd' was replaced" };
  const saved = (more: object = {}) => ({
    ...NO_RUNS,
    save: ended({ kind: "saved", snapshot: SAFETY, verifiedMs: NOW_MS, change, ...more }),
  });

  test("is refused before anything is asked of the cluster", () => {
    const unsaved = { ...NO_RUNS, save: ended({ kind: "no-member", why: "gone", change }) };
    for (const runs of [saved(), unsaved]) {
      const action = plan(aRestoreSeen({ ...READY, runs }));
      assert.ok(action.kind === "fail" && action.shows === "Verified");
      assert.deepEqual([action.reason, action.message], ["Replaced", `${change.message}. Nothing was changed`]);
    }
  });

  test("does not matter where a survivor is restored instead", () => {
    const snapshot = { ...SAFETY, revision: SNAPSHOT.revision ?? 0 };
    const status = { snapshot: SNAPSHOT, conditions: [VERIFIED] };
    const given = { ...READY, status, spec: { preferNewerSurvivor: true }, runs: saved({ snapshot }) };
    assert.equal(planned(given), "record-saved");
  });
});

describe("of two clusters the revisions are not compared", () => {
  const survivor = { ...SAFETY, clusterID: "c2", revision: 1_100 };
  const backup = { ...SNAPSHOT, revision: 5_000 };
  const runs = { ...NO_RUNS, save: ended({ kind: "saved", snapshot: survivor, verifiedMs: NOW_MS }) };
  const restoredPath = (clusterID: string, spec = { preferNewerSurvivor: true }) => {
    const status = { snapshot: { ...backup, clusterID }, conditions: [VERIFIED] };
    const restore = { name: "r", uid: "another", state: "Done", incarnation: 2, revision: 90, previousClusterID: "c1" };
    const action = plan(
      aRestoreSeen({ spec, status, runs, cluster: { status: { clusterID: "c2", restore } } as never }),
    );
    assert.ok(action.kind === "record-saved", action.message);
    return action.snapshot.path;
  };

  test("a survivor is newer than a backup of the cluster before its newest restore, which has what was rolled back", () => {
    assert.equal(restoredPath("c1"), SAFETY.path);
  });

  test("a backup of the same cluster that has more is restored", () => {
    assert.equal(restoredPath("c2"), SNAPSHOT.path);
  });

  test("a backup of a foreign cluster is what the user chose", () => {
    assert.equal(restoredPath("c7"), SNAPSHOT.path);
  });
});
