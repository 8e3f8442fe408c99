import assert from "node:assert/strict";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { healthy, leader, type ObservationGiven, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { answering, edited, running } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { Action } from "../model/action.ts";
import type { AlarmSeen } from "../model/observation.ts";
import { plan } from "../plan.ts";

const three = [leader("a"), healthy("b"), healthy("c")];
const unready = [leader("a"), healthy("b"), healthy("c", { pod: { isReady: false } })];
const claims = { members: three, claims: true };
const quota = { etcd: { quotaBackendBytes: 8_000_000_000 } };
const onClaims = { pod: { persistentVolumeClaimSpec: A_CLAIM } };

/** What an edit comes to while an alarm is raised. */
function alarmed(kind: AlarmSeen["kind"], given: ObservationGiven, spec: object): Action {
  return plan({ ...edited(given, spec), alarms: [{ memberId: "a", kind }] });
}

describe("a database that is full", () => {
  test("does not keep back the quota that it needs, on volumes or without", () => {
    assert.equal(alarmed("no-space", claims, { ...onClaims, ...quota }).kind, "restart-member");
    assert.equal(alarmed("no-space", { members: three }, quota).kind, "declare-join");
    assert.equal(alarmed("no-space", { members: [leader("a")], claims: true }, quota).kind, "declare-join");
  });

  test("does so also while a version is refused", () => {
    assert.equal(alarmed("no-space", claims, { ...onClaims, ...quota, version: "3.7.3" }).kind, "restart-member");
  });

  test("keeps back another version", () => {
    const action = alarmed("no-space", { ...claims, version: "3.5.16" }, { ...onClaims, version: "3.5.30" });
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
    assert.match(action.message, /an alarm is raised \(no-space\)/);
  });

  test("is no reason to take one down while another is not healthy", () => {
    assert.equal(
      alarmed("no-space", { members: unready, claims: true }, { ...onClaims, ...quota }).reason,
      "RolloutWaiting",
    );
  });
});

test("data that is corrupt keeps back every change of members", () => {
  assert.equal(alarmed("corrupt", claims, { ...onClaims, ...quota }).reason, "RolloutWaiting");
  assert.equal(alarmed("corrupt", { members: three }, quota).reason, "RolloutWaiting");
});

describe("a member that waits for another one to replace it", () => {
  test("is reported, with what it waits for", () => {
    const action = plan(edited({ members: unready }, quota));
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
    assert.equal(action.message, "Still to be replaced: a, b, c; waiting for c");
    const two = [leader("a"), healthy("b", { pod: { isReady: false } })];
    assert.equal(plan(edited({ members: two, claims: true }, { ...onClaims, ...quota })).reason, "RolloutWaiting");
  });

  test("does not keep a missing member from coming", () => {
    assert.equal(plan(edited({ members: unready }, { ...quota, size: 5 })).kind, "declare-join");
  });

  test("is not waited with while the other one is being added", () => {
    const coming = unknown("d", { listed: "unstarted-learner" });
    assert.notEqual(plan(edited({ members: [...three, coming], size: 3 }, quota)).reason, "RolloutWaiting");
  });
});

describe("going back from 3.6", () => {
  const back = (given: ObservationGiven) =>
    edited({ claims: true, version: "3.6.16", ...given }, { version: "3.5.35" });

  test("waits for alarms and for all members to be ready, and reports so", () => {
    const alarms = [{ memberId: "a", kind: "no-space" }] as const;
    const action = plan({ ...back({ members: three }), alarms });
    assert.equal(action.reason, "RolloutWaiting");
    assert.equal(action.message, "etcd downgrade to 3.5 is not enabled yet; an alarm is raised (no-space)");
    assert.match(plan(back({ members: unready })).message, /waiting for c$/);
  });

  test("is refused where etcd takes the word for it from none but its users, and nothing else waits", () => {
    const barred = { ...back({ members: three }), minorBarred: "users are enabled" };
    assert.match(plan(barred).message, /'3\.5\.35' cannot be reached: users are enabled/);
    const { cluster } = barred;
    const larger = { ...cluster, spec: { ...cluster.spec, size: 5 } };
    assert.equal(plan({ ...barred, cluster: larger }).kind, "declare-join");
  });

  test("and not being able to cancel it does not stop other work", () => {
    const told = answering({ downgradeTarget: "3.5.0" }, running("3.5.35", back({ members: three }), "b"));
    assert.equal(plan(told).kind, "set-downgrade");
    // Its claim says what it ran before.
    assert.equal(plan({ ...told, minorBarred: "users are enabled" }).reason, "VotersRecorded");
    const claims = told.claims.map((claim) => {
      const { record } = claim;
      return claim.name === "b" && record ? { ...claim, record: { ...record, version: "3.5.35" } } : claim;
    });
    assert.equal(plan({ ...told, claims, minorBarred: "users are enabled" }).reason, "VersionRefused");
  });
});
