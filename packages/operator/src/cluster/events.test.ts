import assert from "node:assert/strict";
import { asked, inRestore, stoppedPod } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { given, running } from "@etcd-operator/testing/cluster/at-version.ts";
import {
  DONE,
  NOTHING,
  POSTPONED,
  RUNNING,
  statusAfterPasses,
  statusOf,
} from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../api/etcd-cluster.ts";
import { eventsOf } from "./events.ts";
import type { Action, ActionOutcome, Step } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";
import { plan } from "./plan.ts";

const three = [leader("a"), healthy("b"), healthy("c")];

/** The Events of one reconcile of a cluster that was healthy before. */
function told(given: ObservationGiven, step: Step = { kind: "none" }, outcome: ActionOutcome = DONE) {
  const status = statusAfterPasses({ members: three, status: RUNNING });
  const seen = anObservation({ members: three, status, ...given });
  const action: Action = { ...step, reason: "WaitingForMembers", message: "m" };
  return eventsOf(seen, action, outcome, statusOf(seen, action, outcome));
}

/** Without what the conditions then say. */
function toldOf(step: Step, outcome: ActionOutcome = DONE): string[] {
  const steps = told({}, step, outcome).filter(({ reason }) => reason !== "Degraded");
  return steps.map(({ type, reason, message }) => `${type} | ${reason} | ${message}`);
}

describe("the steps of a cluster", () => {
  const started = { version: "3.5.30", incarnation: 1 };
  const seed = { ...started, name: "x", start: { kind: "seed", token: "t", peers: [] } } as const;
  const returning = { ...started, name: "y", start: { kind: "returning", clusterId: "c1", memberId: "1" } } as const;
  const c = { name: "c", id: "c" };

  const removed = "Normal | Member Removed | Existing member c removed from the cluster";

  test("are reported as coreos/etcd-operator reported them", () => {
    const added = ["Normal | New Member Added | New member x added to cluster"];
    assert.deepEqual(toldOf({ kind: "start-members", members: [seed, returning] }), added);
    assert.deepEqual(toldOf({ kind: "add-member", name: "x", asLearner: true, version: "3.5.30" }), added);
    assert.deepEqual(toldOf({ kind: "remove-member", member: c, because: "surplus" }), [removed]);
    assert.deepEqual(toldOf({ kind: "remove-member", member: c, because: "never-started" }), [removed]);
    assert.deepEqual(toldOf({ kind: "remove-member", member: c, because: "dead" }), [
      "Normal | Replacing Dead Member | The dead member c is being replaced",
      removed,
    ]);
  });

  test("report why a member is replaced, and why another is removed", () => {
    const why = "its pod was deleted, and its data with it";
    assert.deepEqual(toldOf({ kind: "remove-member", member: c, because: "dead", why }), [
      `Normal | Replacing Dead Member | The dead member c is being replaced: ${why}`,
      removed,
    ]);
    assert.deepEqual(toldOf({ kind: "remove-member", member: c, because: "surplus", why: "spec.size is 2" }), [
      `${removed}: spec.size is 2`,
    ]);
  });

  test("report each member that was removed, and none that was spared", () => {
    const action = { kind: "remove-member", member: c, others: [{ name: "d", id: "d" }], because: "surplus" } as const;
    assert.equal(toldOf(action).length, 2);
    assert.deepEqual(toldOf(action, { kind: "done", spared: 1 }), toldOf({ ...action, others: [] }));
  });

  test("are not reported when they were postponed", () => {
    assert.deepEqual(toldOf({ kind: "add-member", name: "x", asLearner: true, version: "3.5.30" }, POSTPONED), []);
    assert.deepEqual(toldOf({ kind: "remove-member", member: c, because: "dead" }, POSTPONED), []);
  });

  test("are not reported when it only waits", () => {
    assert.deepEqual(toldOf({ kind: "hold" }), []);
  });
});

test("a claim that is deleted under its member is reported as a warning, once, whatever else is wrong", () => {
  const members = [leader("a"), healthy("b"), healthy("c", { claim: { isTerminating: true } })];
  const before = { members: three, claims: true, seen: { strangers: { leftoverPods: [], foreignPods: ["x"] } } };
  const seenAt = (status: EtcdClusterStatus) => anObservation({ ...before, members, status });
  const toldAt = (status: EtcdClusterStatus) =>
    eventsOf(seenAt(status), NOTHING, DONE, statusOf(seenAt(status), NOTHING, DONE)).map(
      ({ type, reason, message }) => `${type} ${reason} ${message}`,
    );
  const degraded = statusAfterPasses({ ...before, status: RUNNING });
  const [warning, ...others] = toldAt(degraded);
  assert.match(
    warning ?? "",
    /^Warning ClaimDeleted PersistentVolumeClaim 'c' is being deleted while member c uses it/,
  );
  assert.deepEqual(others, []);
  assert.deepEqual(toldAt(statusAfterPasses({ ...before, status: degraded }, { ...before, members })), []);
});

describe("a member that has started with another version", () => {
  const ran = (version: string, ...names: string[]) => running(version, anObservation({ members: three }), ...names);
  const toldBetween = (before: Observation, after: Observation) => {
    const status = statusOf({ ...before, cluster: { ...before.cluster, status: RUNNING } });
    const seen = { ...after, cluster: { ...after.cluster, status } };
    return eventsOf(seen, NOTHING, DONE, statusOf(seen)).map(
      ({ type, reason, message }) => `${type} | ${reason} | ${message}`,
    );
  };

  test("is reported as coreos/etcd-operator reported it, once", () => {
    const [before, after] = [ran("3.5.16", "b"), ran("3.5.30", "b")];
    assert.deepEqual(toldBetween(before, after), [
      "Normal | Member Upgraded | Member b upgraded from 3.5.16 to 3.5.30",
      "Normal | RolloutDone | All members run with the current spec",
    ]);
    assert.deepEqual(toldBetween(after, after), []);
  });

  test("is not reported while it was only requested", () => {
    const before = ran("3.5.16", "b");
    assert.deepEqual(toldBetween(before, given("3.5.30", before, "b")), []);
  });

  test("is not reported when it is new, or does not answer", () => {
    const joined = anObservation({ members: [...three, healthy("d")], size: 4 });
    assert.deepEqual(toldBetween(anObservation({ members: three }), joined), []);
    const silent = anObservation({ members: [leader("a"), healthy("b"), unknown("c")] });
    assert.doesNotMatch(toldBetween(ran("3.5.16", "c"), silent).join(), /Upgraded/);
  });
});

describe("a cluster that becomes unhealthy", () => {
  test("is reported as a warning: a member is down", () => {
    const events = told({ members: [leader("a"), healthy("b"), unknown("c")] });
    assert.deepEqual(events, [{ type: "Warning", reason: "Degraded", message: "Not healthy: c (not reached)" }]);
  });

  test("is reported as a warning: the quorum is lost", () => {
    const events = told({ members: [unhealthy("a"), gone("b"), gone("c")], membership: "unconfirmed" });
    assert.deepEqual(
      events.map(({ type, reason }) => `${type} ${reason}`),
      ["Warning NotAvailable", "Warning QuorumLost", "Warning Degraded"],
    );
    assert.match(events[1]?.message ?? "", /What you can do/);
  });

  test("is reported once, and so is its end", () => {
    const lost = { members: [unhealthy("a"), gone("b"), gone("c")], membership: "unconfirmed" } as const;
    const status = statusAfterPasses({ members: three, status: RUNNING }, lost);
    assert.deepEqual(told({ ...lost, status }), []);
    assert.deepEqual(
      told({ status }).map(({ type, reason }) => `${type} ${reason}`),
      ["Normal Available", "Normal QuorumRegained", "Normal NotDegraded"],
    );
  });
});

test("a new cluster begins without a warning, and reports when it serves clients", () => {
  const empty = anObservation({ status: {}, members: [], size: 1, membership: "unknown" });
  assert.deepEqual(eventsOf(empty, NOTHING, DONE, statusOf(empty)), []);
  const status = { ...statusOf(empty), clusterID: CLUSTER_ID };
  assert.deepEqual(
    told({ status, members: [leader("a")] }).map(({ reason }) => reason),
    ["Available"],
  );
});

describe("a restore", () => {
  /** The Events of the planner's own next step. */
  function toldAfter(given: ObservationGiven): string[] {
    const seen = anObservation({ metadata: asked(), size: 3, ...given });
    const action = plan(seen);
    return eventsOf(seen, action, DONE, statusOf(seen, action)).map(({ type, reason }) => `${type} ${reason}`);
  }
  const noMember = { members: [], membership: "unknown" } as const;

  test("is reported when it starts, when no previous member runs, and when it is done", () => {
    assert.ok(toldAfter({ status: RUNNING, members: three }).includes("Normal RestoreStarted"));
    assert.deepEqual(toldAfter({ ...noMember, status: inRestore("Fencing") }), ["Normal PreviousMembersStopped"]);
    const joining = inRestore("Joining", { clusterID: CLUSTER_ID, incarnation: 2, phase: "Running" });
    assert.ok(toldAfter({ status: joining, members: three }).includes("Normal RestoreDone"));
  });

  test("is reported when it was rolled back, once", () => {
    const { restore } = inRestore("RollingBack");
    const previousMembers = [{ name: "a", id: "a", role: "Leader" as const, health: "Healthy" as const }];
    const status = { restore: { ...restore, previousMembers } } as EtcdClusterStatus;
    const setAside = { pods: [stoppedPod("a")], claims: [] };
    const rolledBack = ["Warning RestoreRolledBack"];
    const told = (given: ObservationGiven) => toldAfter(given).filter((each) => /Restore|Quorum/.test(each));
    assert.deepEqual(told({ ...noMember, status, seen: { setAside } }), rolledBack);
    assert.deepEqual(told({ status: inRestore("RolledBack", RUNNING), members: three }), []);
  });

  test("by policy, and one that takes what was set aside for want of room, is a warning", () => {
    const restore = { metadata: { name: "r" } } as never;
    assert.deepEqual(toldOf({ kind: "create-restore", restore, lost: ["a"] }), ["Warning | RecoveryStarted | m"]);
    const discard = { kind: "discard-set-aside", pods: [], claims: [] } as const;
    assert.deepEqual(toldOf({ ...discard, noRoomFor: "x" }), ["Warning | MakingRoom | m"]);
    assert.deepEqual(toldOf(discard), []);
  });

  test("reports its first member like any other", () => {
    const start = { kind: "restored", token: "t", revisionBump: 0, restoreUid: "r" } as const;
    const members = [{ name: "x", version: "3.5.30", incarnation: 2, start }];
    assert.deepEqual(toldOf({ kind: "start-members", members }), [
      "Normal | New Member Added | New member x added to cluster",
    ]);
  });
});
