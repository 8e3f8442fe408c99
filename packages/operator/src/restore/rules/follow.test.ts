import assert from "node:assert/strict";
import {
  aRestoreSeen,
  NOW_MS,
  REQUEST,
  type RestoreGiven,
  SAFETY,
  SAVED,
  SNAPSHOT,
  VERIFIED,
} from "@etcd-operator/testing/restore/a-restore-seen.ts";
import { describe, test } from "vitest";
import type { Action } from "../action.ts";
import type { Observation } from "../observation.ts";
import { plan } from "../plan.ts";

const asked = {
  phase: "Restoring" as const,
  snapshot: SNAPSHOT,
  safetySnapshot: SAFETY,
  conditions: [VERIFIED, SAVED],
};

function planFor(given: RestoreGiven): Action {
  return plan(aRestoreSeen({ request: REQUEST, status: asked, ...given }));
}

const unreachableSince = (lastTransitionTime: string) => ({ type: "QuorumLost", status: "True", lastTransitionTime });

describe("a cluster that was asked", () => {
  test("and says that its members join is waited for", () => {
    const action = planFor({ state: "Joining", cluster: { status: { readyMembers: 2 } } as never });
    assert.ok(action.kind === "hold");
    assert.equal(action.phase, "Joining");
    assert.match(action.message, /2 of 3 serve clients/);
  });

  test.each([
    ["says so of data that is gone", { majorityLostSince: "2030-01-01T11:59:00Z" }, "fail QuorumLost"],
    ["says so since a moment ago", { majorityLostSince: "2030-01-01T11:59:59Z" }, "hold Restoring"],
    ["has been out of reach for long", { conditions: [unreachableSince("2030-01-01T11:44:00Z")] }, "fail QuorumLost"],
    ["is out of reach for a while", { conditions: [unreachableSince("2030-01-01T11:50:00Z")] }, "hold Restoring"],
  ])("and lost its majority while its members join: it %s", (_, status, kind) => {
    const action = planFor({ state: "Joining", cluster: { status } as never });
    assert.equal(`${action.kind} ${action.reason}`, kind);
  });

  test("and counts as lost is believed only if its members do not say otherwise", () => {
    const cluster = { status: { majorityLostSince: "2030-01-01T11:59:00Z" } } as never;
    const member = { isHealthy: true, isLearner: false, revision: 100 };
    const planned = (members: Observation["members"]) => planFor({ state: "Joining", cluster, members });
    const action = planned([member]);
    assert.ok(action.kind === "hold");
    assert.equal(action.recheckAfterMs, 10_000);
    assert.equal(planned([{ ...member, isHealthy: false }]).kind, "fail");
    assert.equal(planned([{ ...member, isLearner: true }]).kind, "fail");
  });

  test.each([
    ["what is gone", { majorityLostSince: "2030-01-01T11:59:59Z" }, 59_000],
    ["who is out of reach", { conditions: [unreachableSince("2030-01-01T11:50:00Z")] }, 300_000],
    ["never, when all is healthy", {}, undefined],
  ])("is checked again when it is time to abort: %s, though no event reports anything", (_, status, afterMs) => {
    const action = planFor({ state: "Joining", cluster: { status } as never });
    assert.ok(action.kind === "hold");
    assert.equal(action.recheckAfterMs, afterMs);
  });

  test("and lost the restored data says what to restore again", () => {
    const cluster = { status: { majorityLostSince: "2030-01-01T11:59:00Z" } as never };
    const { message } = planFor({ state: "Joining", cluster });
    assert.match(message, /Delete this EtcdRestore and create another one from 'backups\/etcd_safety_0a1b2c3d'/);
    const { safetySnapshot: _, ...unsaved } = asked;
    assert.match(
      planFor({ state: "Joining", cluster, status: unsaved }).message,
      /another one from the backup; with preferNewerSurvivor: true/,
    );
  });

  test("and was deleted makes the restore fail: an existing cluster, if any, is not the requested one", () => {
    const { request: _, ...without } = { request: REQUEST };
    for (const given of [{ cluster: false as const }, { cluster: { metadata: { deletionTimestamp: "x" } as never } }]) {
      const action = plan(aRestoreSeen({ status: asked, ...without, ...given }));
      assert.deepEqual([action.kind, action.reason], ["fail", "ClusterDeleted"]);
    }
  });

  test("and has gone back without being asked to by us makes the restore fail", () => {
    const action = planFor({ state: "RolledBack" });
    assert.deepEqual([action.kind, action.reason], ["fail", "Canceled"]);
    assert.match(action.message, /the previous cluster is back/);
  });

  test("is requested again when the request was removed", () => {
    const action = plan(aRestoreSeen({ status: asked, state: "Fencing" }));
    assert.ok(action.kind === "request");
    assert.deepEqual(action.request, { ...REQUEST, isSaved: true });
  });

  test("is not asked again once it has served, when all its annotations were removed: it would lose what was written since", () => {
    const action = plan(aRestoreSeen({ status: { ...asked, phase: "Joining" } }));
    assert.deepEqual([action.kind, action.reason], ["fail", "StatusLost"]);
    assert.match(action.message, /check whether all members are ready, and create another EtcdRestore if they are not/);
  });

  test("and was asked by another since makes the restore fail", () => {
    const action = planFor({ request: { ...REQUEST, uid: "other", name: "other" } });
    assert.deepEqual([action.kind, action.reason], ["fail", "Superseded"]);
  });

  test("is followed by an operator that has just started and knows nothing but what is written", () => {
    const begun = { ...asked, phase: "Saving" as const };
    assert.equal(plan(aRestoreSeen({ status: begun, request: REQUEST, state: "Joining" })).kind, "hold");
  });
});

describe("a cluster that reports that it is complete", () => {
  const member = { isHealthy: true, isLearner: false, revision: 1_000_000_100 };
  const three = [member, member, member];

  test("is believed when all its members say so", () => {
    const action = planFor({ state: "Done", members: three });
    assert.deepEqual([action.kind, action.reason], ["succeed", "Restored"]);
  });

  test.each([
    ["does not answer", [member, member]],
    ["is unhealthy", [member, member, { ...member, isHealthy: false }]],
    ["has no vote", [member, member, { ...member, isLearner: true }]],
    ["lacks what was restored", [member, member, { ...member, revision: 99 }]],
  ])("is asked again when one of them %s", (_, members) => {
    const action = planFor({ state: "Done", members });
    assert.ok(action.kind === "hold");
    assert.match(action.message, /2 of 3 members/);
    assert.ok((action.recheckAfterMs ?? 0) > 0);
  });

  test("is believed also where all that is left of it is on the request: its status was lost", () => {
    const request = { ...REQUEST, isDone: true };
    const seen = {
      status: { ...asked, phase: "Joining" as const },
      cluster: { status: { clusterID: undefined } } as never,
    };
    assert.equal(plan(aRestoreSeen({ ...seen, request, members: three })).kind, "succeed");
    assert.equal(plan(aRestoreSeen({ ...seen, request, members: [member] })).kind, "hold");
  });

  test("is believed at exactly the revision of the snapshot, where etcd cannot raise it", () => {
    const members = three.map((each) => ({ ...each, revision: 100 }));
    assert.equal(planFor({ state: "Done", members, nowMs: NOW_MS }).kind, "succeed");
  });
});
