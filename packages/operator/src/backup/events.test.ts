import assert from "node:assert/strict";
import { aBackupSeen, aRun, failed, type SeenGiven, succeeded } from "@etcd-operator/testing/backup/an-etcd-backup.ts";
import { describe, test } from "vitest";
import { eventsOf } from "./events.ts";
import type { RunOutcome } from "./observation.ts";
import { plan } from "./plan.ts";
import { statusAfter } from "./status.ts";

function told(given: SeenGiven): string[] {
  const seen = aBackupSeen(given);
  const action = plan(seen);
  const events = eventsOf(seen, action, statusAfter(seen, action));
  return events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
}

const ended = (outcome: RunOutcome, attempt = 1) => ({ run: aRun({}, { attempt, state: { kind: "ended", outcome } }) });

describe("what is reported", () => {
  test("that a backup was begun", () => {
    assert.deepEqual(told({}), ["Normal BackupStarted: Starting a backup: it is the first"]);
  });

  test("that one succeeded, and what it is", () => {
    assert.deepEqual(told(ended(succeeded())), [
      "Normal BackupSucceeded: Backup 'bucket/etcd/nightly' is verified: revision 42, 20512 bytes, of etcd 3.5.30",
    ]);
  });

  test("which old ones were removed, in few words, and that not all could be", () => {
    const removed = ["b/1", "b/2", "b/3", "b/4", "b/5"];
    const [, pruned, trouble] = told(ended(succeeded({ pruning: { removed, failure: "access denied" } })));
    assert.equal(pruned, "Normal BackupPruned: Removed 5 old backups: 'b/1', 'b/2', 'b/3' and 2 more");
    assert.equal(trouble, "Warning PruningFailed: access denied");
    const [, one] = told(ended(succeeded({ pruning: { removed: ["b/1"] } })));
    assert.equal(one, "Normal BackupPruned: Removed 1 old backup: 'b/1'");
    assert.equal(told(ended(succeeded({ pruning: { removed: [] } }))).length, 1);
  });

  test("that an attempt failed, and that it was the last", () => {
    assert.deepEqual(told(ended(failed(), 2)), ["Warning BackupFailed: Attempt 2: the store does not answer"]);
    assert.deepEqual(told(ended(failed(), 6)), [
      "Warning BackupFailed: Attempt 6: the store does not answer. It will not be retried",
    ]);
  });

  test("that the spec is not valid, once", () => {
    const given = { spec: { storageType: "Tape" } };
    const [event] = told(given);
    assert.match(event ?? "", /^Warning InvalidSpec: spec.storageType: "Tape": not supported/);
    const seen = aBackupSeen(given);
    assert.deepEqual(told({ ...given, status: statusAfter(seen, plan(seen)) }), []);
  });

  test("nothing while there is nothing to report", () => {
    assert.deepEqual(told({ run: aRun() }), []);
    assert.deepEqual(told({ status: { observedGeneration: 1, succeeded: true } }), []);
  });
});
