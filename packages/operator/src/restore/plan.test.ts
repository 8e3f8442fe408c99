import assert from "node:assert/strict";
import { ended, NO_RUNS, READY, SAVED_RUN } from "@etcd-operator/testing/restore/a-ready-restore.ts";
import {
  aRestoreSeen,
  CALLED_OFF,
  type RestoreGiven as Given,
  NOW_MS,
  REQUEST,
  SAFETY,
  SAVED,
  SNAPSHOT,
  UID,
  VERIFIED,
} from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import { RESTORE_UID_ANNOTATION } from "../api/restore-request.ts";
import type { Observation } from "./observation.ts";
import { plan } from "./plan.ts";

const verified: Given = { status: { snapshot: SNAPSHOT, conditions: [VERIFIED] } };
const template = { spec: { size: 3, version: "3.5.30" } } as NonNullable<
  Observation["restore"]["spec"]["clusterTemplate"]
>;
const own = { metadata: { annotations: { [RESTORE_UID_ANNOTATION]: UID } }, status: { clusterID: "" } } as never;

/** What is planned, without its words. */
function planned(given: Given): string {
  const action = plan(aRestoreSeen(given));
  return action.kind === "hold" || action.kind === "fail" ? `${action.kind} ${action.reason}` : action.kind;
}

describe("the way to a request", () => {
  test.each<[string, Given, string]>([
    [
      "a new one gets its finalizer first",
      { metadata: { finalizers: [] }, status: { phase: undefined } as never },
      "add-finalizer",
    ],
    ["and then begins", { status: { phase: undefined, observedGeneration: undefined } as never }, "begin"],
    ["one with a wrong spec fails", { problems: ["spec.s3.path: required"] }, "fail InvalidSpec"],
    ["one without a cluster and a template fails", { cluster: false }, "fail NoCluster"],
    [
      "one whose cluster is being deleted fails",
      { cluster: { metadata: { deletionTimestamp: "x" } as never } },
      "fail ClusterDeleted",
    ],
    ["one with a template needs no cluster", { cluster: false, spec: { clusterTemplate: template } }, "verify"],
    ["the backup is verified before anything else", {}, "verify"],
    ["and even while the cluster is paused", { cluster: { spec: { paused: true } as never } }, "verify"],
    ["what is being verified is waited for", { runs: { ...NO_RUNS, verify: { kind: "queued" } } }, "hold Verifying"],
    [
      "what could not be verified fails",
      { runs: { ...NO_RUNS, verify: { kind: "failed", error: new Error("no") } } },
      "fail NotVerified",
    ],
    [
      "what is refused fails with its reason",
      { runs: { ...NO_RUNS, verify: ended({ kind: "refused", reason: "Damaged", message: "" }) } },
      "fail Damaged",
    ],
    [
      "what is good is put on record",
      { runs: { ...NO_RUNS, verify: ended({ kind: "verified", snapshot: SNAPSHOT }) } },
      "record-verified",
    ],
    ["a paused cluster is not restored", { ...verified, cluster: { spec: { paused: true } as never } }, "hold Paused"],
    ["what answers is saved first", verified, "save"],
    [
      "what is being saved is waited for",
      { ...verified, runs: { ...NO_RUNS, save: { kind: "queued" } } },
      "hold Saving",
    ],
    [
      "what answers and cannot be saved stops it",
      { ...verified, runs: { ...NO_RUNS, save: { kind: "failed", error: new Error("full") } } },
      "fail NotSaved",
    ],
    ["what was saved is put on record", { ...verified, runs: SAVED_RUN }, "record-saved"],
    [
      "that no member responds is recorded",
      { ...verified, runs: { ...NO_RUNS, save: ended({ kind: "no-member", why: "gone" }) } },
      "record-saved",
    ],
    ["what was saved a while ago is saved again", { ...READY, nowMs: NOW_MS + 20 * 60_000 }, "save"],
    ["what a process saved that is gone is saved again", { ...READY, runs: NO_RUNS }, "save"],
    ["then the cluster is asked", READY, "request"],
    [
      "a missing cluster has no member to save, and is created",
      { ...verified, cluster: false, spec: { clusterTemplate: template } },
      "create-cluster",
    ],
    [
      "one that an earlier attempt left behind is made over",
      { ...verified, cluster: { ...(own as object), spec: { paused: true } as never } },
      "create-cluster",
    ],
    ["an edited spec starts again, as long as nothing was asked", { ...READY, metadata: { generation: 2 } }, "begin"],
    ["and goes to its end once it was", { ...READY, metadata: { generation: 2 }, request: REQUEST }, "hold Restoring"],
  ])("%s", (_, given, kind) => {
    assert.equal(planned(given), kind);
  });

  test("what is asked names the snapshot, and how far revisions are raised", () => {
    const action = plan(aRestoreSeen(READY));
    assert.ok(action.kind === "request");
    assert.deepEqual(action.request, { ...REQUEST, isSaved: true });
  });

  test("that no member could be saved is not claimed", () => {
    const runs = { ...NO_RUNS, save: ended({ kind: "no-member", why: "gone" }) };
    const notSaved = { ...SAVED, status: "False" as const };
    const action = plan(aRestoreSeen({ status: { snapshot: SNAPSHOT, conditions: [VERIFIED, notSaved] }, runs }));
    assert.ok(action.kind === "request");
    assert.deepEqual(action.request, REQUEST);
  });

  test("an attempt after a failed one is another one to the cluster", () => {
    const conditions = [VERIFIED, SAVED].map((each) => ({ ...each, observedGeneration: 3 }));
    const status = { ...READY.status, conditions, observedGeneration: 3 };
    const action = plan(aRestoreSeen({ ...READY, metadata: { generation: 3 }, status }));
    assert.ok(action.kind === "request");
    assert.equal(action.request.uid, `${UID}-3`);
  });

  test.each([
    ["and is not older", { spec: { preferNewerSurvivor: true } }, 100, SAFETY.path],
    ["and is older", { spec: { preferNewerSurvivor: true } }, 99, SNAPSHOT.path],
    ["but is not preferred", {}, 500, SNAPSHOT.path],
  ])("a survivor that answers %s decides what is restored", (_, given, revision, path) => {
    const snapshot = { ...SAFETY, revision };
    const runs = { ...NO_RUNS, save: ended({ kind: "saved", snapshot, verifiedMs: NOW_MS }) };
    const action = plan(aRestoreSeen({ ...verified, ...given, runs }));
    assert.ok(action.kind === "record-saved");
    assert.equal(action.snapshot.path, path);
    assert.equal(action.safetySnapshot?.revision, revision);
  });
});

describe("a backup that is refused, where a survivor is preferred", () => {
  const prefers: Given = { spec: { preferNewerSurvivor: true } };
  const refused = ended({ kind: "refused", reason: "NotFound", message: "There is no 'backups/etcd'" });
  const unverified = { ...VERIFIED, status: "False" as const, message: "There is no 'backups/etcd'" };
  const noted: Given = { ...prefers, status: { conditions: [unverified] } };

  test.each<[string, Given, string]>([
    [
      "is put on record, and the survivor is tried",
      { ...prefers, runs: { ...NO_RUNS, verify: refused } },
      "record-refused",
    ],
    ["is not read again", noted, "save"],
    ["continues without it, where a member responds", { ...noted, runs: SAVED_RUN }, "record-saved"],
    [
      "fails where none does",
      { ...noted, runs: { ...NO_RUNS, save: ended({ kind: "no-member", why: "gone" }) } },
      "fail NotSaved",
    ],
    [
      "fails at once where there is no cluster that anybody could be left of",
      {
        ...prefers,
        cluster: false,
        spec: { ...prefers.spec, clusterTemplate: template },
        runs: { ...NO_RUNS, verify: refused },
      },
      "fail NotFound",
    ],
  ])("%s", (_, given, kind) => {
    assert.equal(planned(given), kind);
  });

  test("restores what was saved, whatever its revision", () => {
    const action = plan(aRestoreSeen({ ...noted, runs: SAVED_RUN }));
    assert.ok(action.kind === "record-saved");
    assert.equal(action.snapshot.path, SAFETY.path);
  });
});

describe("others that restore the same cluster", () => {
  const other = {
    name: "other",
    uid: "other-uid",
    createdMs: NOW_MS - 7_200_000,
    isFinished: false,
    succeededMs: undefined,
  };
  const theirs = { ...REQUEST, name: "other", uid: "other-uid" };

  test.each<[string, Given, string]>([
    ["an older one goes first", { others: [other] }, "hold WaitingForOther"],
    ["a younger one does not", { others: [{ ...other, createdMs: NOW_MS }] }, "verify"],
    [
      "one of the same second goes by its UID",
      { others: [{ ...other, createdMs: NOW_MS - 3_600_000, uid: "00" }] },
      "hold WaitingForOther",
    ],
    ["one that is over blocks no other", { others: [{ ...other, isFinished: true }] }, "verify"],
    [
      "a younger one that the cluster was asked by finishes",
      { others: [{ ...other, createdMs: NOW_MS }], request: theirs },
      "hold WaitingForOther",
    ],
    [
      "so does one that is gone, when the cluster is at it",
      { request: theirs, state: "Restoring" },
      "hold WaitingForOther",
    ],
    [
      "one whose cluster serves, and lacks a member still, finishes, too",
      { others: [{ ...other, createdMs: NOW_MS }], request: theirs, state: "Joining" },
      "hold WaitingForOther",
    ],
    ["unless it was deleted", { request: theirs, state: "Joining" }, "verify"],
    ["a request of a deleted restore that was never started blocks no other", { request: theirs }, "verify"],
    [
      "one that succeeded since makes this one fail",
      { others: [{ ...other, isFinished: true, succeededMs: NOW_MS - 1 }] },
      "fail Superseded",
    ],
    [
      "one that succeeded before does not",
      { others: [{ ...other, isFinished: true, succeededMs: NOW_MS - 86_400_000 }] },
      "verify",
    ],
  ])("%s", (_, given, kind) => {
    assert.equal(planned(given), kind);
  });
});

describe("the end of a restore", () => {
  const failed: Given["status"] = { phase: "Failed", observedGeneration: 1 };
  test.each<[string, Given, string]>([
    ["a failed one lets go", { status: failed }, "remove-finalizer"],
    ["and stays as it is", { status: failed, metadata: { finalizers: [] } }, "none"],
    [
      "a failed one takes its request back first",
      { status: failed, request: REQUEST, state: "RolledBack" },
      "withdraw",
    ],
    ["a failed one whose spec was edited starts again", { status: failed, metadata: { generation: 2 } }, "begin"],
    [
      "but withdraws its previous request first",
      { status: failed, metadata: { generation: 2 }, request: REQUEST, state: "RolledBack" },
      "withdraw",
    ],
    [
      "a succeeded one takes its request off",
      { status: { ...failed, phase: "Succeeded" }, request: REQUEST, state: "Done" },
      "withdraw",
    ],
    [
      "a succeeded one stays so, whatever is edited",
      { status: { ...failed, phase: "Succeeded" }, metadata: { generation: 9, finalizers: [] } },
      "none",
    ],
  ])("%s", (_, given, kind) => {
    assert.equal(planned(given), kind);
  });
});

test("of a restore that is over it is said only once that its finalizer is removed", () => {
  const over = { phase: "Succeeded", observedGeneration: 1 } as const;
  assert.match(plan(aRestoreSeen({ status: over })).message, /: removing its finalizer$/);
  const released = aRestoreSeen({ status: over, metadata: { finalizers: [] } });
  assert.equal(plan(released).message, "The restore succeeded: nothing is left to do");
});

describe("a restore that is deleted", () => {
  const deleted = { deletionTimestamp: "2030-01-01T12:00:00Z" };
  test.each<[string, Given, string]>([
    ["goes at once when nothing was asked", {}, "remove-finalizer"],
    ["goes when its cluster is gone", { cluster: false }, "remove-finalizer"],
    [
      "goes when its cluster goes too",
      { cluster: { metadata: deleted as never }, request: REQUEST, state: "Restoring" },
      "remove-finalizer",
    ],
    ["withdraws what has not been started", { request: REQUEST }, "withdraw"],
    ["cancels what is in progress", { request: REQUEST, state: "Fencing" }, "cancel"],
    ["does so even when the request was removed", { state: "Restoring" }, "cancel"],
    ["waits until all is back", { request: { ...REQUEST, isCanceled: true }, state: "RollingBack" }, "hold Deleting"],
    [
      "takes the request off when all is back",
      { request: { ...REQUEST, isCanceled: true }, state: "RolledBack" },
      "withdraw",
    ],
    ["and when it came too late, though a member is still missing", { request: REQUEST, state: "Joining" }, "withdraw"],
    ["and when it came much too late", { request: { ...REQUEST, isCanceled: true }, state: "Done" }, "withdraw"],
    ["does not leave an empty cluster to be bootstrapped", { request: REQUEST, cluster: own }, "park-cluster"],
    ["leaves one that knows it was cancelled", { request: REQUEST, cluster: own, state: "RolledBack" }, "withdraw"],
    ["waits for one that goes back by itself", { state: "RollingBack" }, "hold Deleting"],
    [
      "is none of our business without our finalizer",
      { metadata: { ...deleted, finalizers: [] }, request: REQUEST },
      "none",
    ],
  ])("%s", (_, given, kind) => {
    assert.equal(planned({ ...given, metadata: { ...deleted, ...given.metadata } }), kind);
  });
});

describe("an attempt that has failed", () => {
  const status: Given["status"] = { ...READY.status, phase: "Restoring", conditions: [VERIFIED, SAVED, CALLED_OFF] };
  test.each<[string, Given, string]>([
    ["is cancelled", { request: REQUEST, state: "Restoring" }, "cancel"],
    ["waits until all is back", { request: { ...REQUEST, isCanceled: true }, state: "RollingBack" }, "hold Restoring"],
    [
      "has failed then, with its cause",
      { request: { ...REQUEST, isCanceled: true }, state: "RolledBack" },
      "fail SeedFailed",
    ],
    ["withdraws what had not been started", { request: REQUEST }, "withdraw"],
    ["and has failed then", {}, "fail SeedFailed"],
    ["has failed when its cluster is gone, with its cause", { cluster: false }, "fail SeedFailed"],
    [
      "goes on all the same when the restored cluster serves by then",
      { request: REQUEST, state: "Joining" },
      "hold Restoring",
    ],
  ])("%s", (_, given, kind) => {
    assert.equal(planned({ ...given, status }), kind);
  });
});
