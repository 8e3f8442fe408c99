import assert from "node:assert/strict";
import { asked, formerClaim, inRestore, inSavedRestore, stoppedPod } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unhealthy,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { AnsweredStatus } from "../model/observation.ts";
import { plan } from "../plan.ts";

const served = { clusterID: CLUSTER_ID, incarnation: 2, phase: "Running" } as const;
const joining = inSavedRestore("Joining", served);
const stopped = stoppedPod("x");
const leftOver = { pods: [stopped], claims: [formerClaim("y"), formerClaim("z")] };
const restoring = { uid: "restore-uid", hasFailed: false, lacksSecret: false };
const seed: MemberGiven = leader("a", { pod: { restoring } });
const [upToDate] = anObservation({ members: [healthy("c")] }).pods;
const behind = healthy("c", {
  pod: { answer: { health: "healthy", status: { ...upToDate?.answer.status, revision: 99 } as AnsweredStatus } },
});
const whole = [seed, healthy("b"), healthy("c")];

function planFor(given: ObservationGiven = {}, setAside = leftOver) {
  return plan(
    anObservation({
      metadata: asked(),
      status: joining,
      members: whole,
      ...given,
      seen: { setAside },
    }),
  );
}

describe("when the restored cluster is complete", () => {
  test("what was set aside is deleted: first the pods, then the claims", () => {
    const first = planFor();
    assert.ok(first.kind === "discard-set-aside");
    assert.deepEqual([first.pods.map(({ name }) => name), first.claims, first.noRoomFor], [["x"], [], undefined]);
    const second = planFor({}, { ...leftOver, pods: [{ ...stopped, isTerminating: true }] });
    assert.ok(second.kind === "discard-set-aside");
    assert.deepEqual(
      second.claims.map(({ name }) => name),
      ["y", "z"],
    );
  });

  test("the restore is done; terminating objects are not waited for", () => {
    const going = { pods: [{ ...stopped, isTerminating: true }], claims: [formerClaim("y", { isTerminating: true })] };
    const action = planFor({}, going);
    assert.ok(action.kind === "turn-restore");
    assert.equal(action.to, "Done");
  });

  test("claims stay where the user keeps them", () => {
    const spec = { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain" } };
    assert.equal(planFor({ spec }, { ...leftOver, pods: [] }).kind, "turn-restore");
  });
});

describe("where nothing of what was set aside could be saved", () => {
  const unsaved = { status: inRestore("Joining", served) };

  test("its claims stay, are named, and the restore is done; the pods are deleted", () => {
    assert.equal(planFor(unsaved).kind, "discard-set-aside");
    const seen = anObservation({
      ...unsaved,
      members: whole,
      seen: { setAside: { ...leftOver, pods: [] } },
    });
    const action = plan(seen);
    assert.ok(action.kind === "turn-restore");
    assert.deepEqual([action.to, action.isKeeping], ["Done", true]);
    const { restore } = statusOf(seen, action);
    assert.deepEqual([restore?.state, restore?.keepsClaimsBelow], ["Done", 2]);
    assert.match(
      restore?.reason ?? "",
      /PVCs y, z could not be backed up, so they are kept: delete them when they are not needed/,
    );
  });

  test.each([
    ["its last member had more than was saved", { allSaved: false }],
    ["its last member could not be asked", { allSaved: undefined }],
  ])("its claims stay also when something was saved, but %s", (_, more) => {
    const status = { ...joining, restore: { ...joining.restore, ...more } } as EtcdClusterStatus;
    const seen = anObservation({ status, members: whole, seen: { setAside: { ...leftOver, pods: [] } } });
    const action = plan(seen);
    assert.ok(action.kind === "turn-restore");
    assert.match(
      action.message,
      /PVCs y, z may have writes beyond revision 90 that are not backed up, so they are kept/,
    );
    assert.equal(statusOf(seen, action).restore?.keepsClaimsBelow, 2);
  });

  test("its claims stay also when a request of another restore says that it was saved", () => {
    const metadata = asked({ uid: "another", isSaved: true, isCanceled: true });
    assert.notEqual(planFor({ ...unsaved, metadata }, { ...leftOver, pods: [] }).kind, "discard-set-aside");
  });

  test("they are deleted where it was saved, though it is not requested any more", () => {
    assert.equal(planFor({ metadata: {} }, { ...leftOver, pods: [] }).kind, "discard-set-aside");
  });

  test("its claims stay when a later restore is done, of which all was saved", () => {
    const status = { ...joining, restore: { ...joining.restore, incarnation: 3, keepsClaimsBelow: 2 } };
    const claims = [formerClaim("y", { incarnation: 1 }), formerClaim("z", { incarnation: 2 })];
    const action = planFor({ status: status as EtcdClusterStatus }, { pods: [], claims });
    assert.ok(action.kind === "discard-set-aside");
    assert.deepEqual(
      action.claims.map(({ name }) => name),
      ["z"],
    );
  });
});

describe("as long as the restored cluster is not complete", () => {
  test.each<[string, ObservationGiven]>([
    ["a member is missing", { size: 4 }],
    ["a member is not healthy", { members: [seed, healthy("b"), unhealthy("c")] }],
    ["a member serves no clients yet", { members: [seed, healthy("b"), healthy("c", { pod: { isReady: false } })] }],
    ["a member has no vote", { members: [seed, healthy("b"), healthy("c", { listed: "learner" })] }],
    ["a member has less than the snapshot", { members: [seed, healthy("b"), behind] }],
    ["the list is not confirmed", { membership: "unconfirmed" }],
  ])("nothing of what was set aside goes: %s", (_, given) => {
    const action = planFor(given);
    assert.notEqual(action.kind, "discard-set-aside");
    assert.notEqual(action.kind, "turn-restore");
  });
});

describe("the first member, whose pod could restore the snapshot again", () => {
  const done = inRestore("Done", { clusterID: CLUSTER_ID, incarnation: 2, phase: "Running" });
  const noted = asked({ isDone: true });
  const last: readonly MemberGiven[] = [healthy("a", { pod: { restoring } }), leader("b"), healthy("c")];

  test("is left as it is until all others are there", () => {
    const nothing = { pods: [], claims: [formerClaim("y")] };
    assert.equal(planFor({ members: last, claims: true }, nothing).kind, "discard-set-aside");
  });

  test("then gets another pod on its volume", () => {
    const action = planFor({ status: done, members: last, claims: true, metadata: noted }, { pods: [], claims: [] });
    assert.ok(action.kind === "restart-member");
    assert.deepEqual([action.member.name, action.change.kind], ["a", "pod"]);
  });

  test("or is replaced by another member that comes first, where its data is in its pod", () => {
    const action = planFor({ status: done, members: last, metadata: noted }, { pods: [], claims: [] });
    assert.equal(action.kind, "declare-join");
    assert.match(action.message, /Adding .* before replacing one of: a$/);
  });
});

describe("that a restore is done", () => {
  const done = inRestore("Done", served);
  const nothing = { pods: [], claims: [] };

  test("is written on the request, too, before anything of it is changed", () => {
    const action = planFor({ status: done, claims: true }, nothing);
    assert.ok(action.kind === "note-done");
    assert.deepEqual([action.request.uid, action.request.isDone], ["restore-uid", true]);
  });

  test("is not written on what another one asks for, nor twice", () => {
    assert.equal(planFor({ status: done, metadata: asked({ uid: "another" }) }, nothing).kind, "begin-restore");
    assert.notEqual(planFor({ status: done, metadata: asked({ isDone: true }) }, nothing).kind, "note-done");
    assert.notEqual(planFor({ status: done, metadata: {} }, nothing).kind, "note-done");
  });
});
