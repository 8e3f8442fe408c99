import assert from "node:assert/strict";
import { asked, inRestore, stoppedPod } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { conditionIn, POSTPONED, statusOf, verdictIn } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Action, Step } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { plan } from "../plan.ts";

const why = { reason: "WaitingForMembers", message: "m" };
const noMember = { members: [], membership: "unknown", size: 3 } as const;

/** What is written after the planner's own next step. */
const next = (seen: Observation) => statusOf(seen, plan(seen));

function verdicts(status: EtcdClusterStatus): string[] {
  return ["Available", "Recovering", "Scaling", "QuorumLost"].map((type) => `${type} ${verdictIn(status, type)}`);
}

/** A cluster that ran, with all that is written down of it. */
function ran(given: ObservationGiven = {}): Observation {
  const memberStatus = ["a", "b", "c"].map(
    (name) => ({ name, id: name, role: "Follower", health: "Healthy", version: "3.5.30" }) as const,
  );
  const status = {
    clusterID: CLUSTER_ID,
    incarnation: 1,
    phase: "Running",
    size: 3,
    currentVersion: "3.5.30",
    memberStatus,
  } as const;
  const logMark = { minor: "3.5", raftIndex: 7 };
  const written = { ...status, logMark, memberStatus: [...memberStatus], majorityLostSince: "2029-12-31T00:00:00Z" };
  return anObservation({ metadata: asked(), status: written, ...given });
}

describe("when a restore begins", () => {
  test("nothing of the cluster before is taken for one of the new: no id, no members, no version, no place in a log", () => {
    const status = next(ran());
    assert.deepEqual(
      [status.clusterID, status.memberStatus, status.currentVersion, status.logMark, status.majorityLostSince],
      [undefined, [], undefined, undefined, undefined],
    );
    assert.deepEqual([status.size, status.readyMembers, status.incarnation], [0, 0, 1]);
    assert.equal(status.restore?.state, "Fencing");
    assert.equal(status.restore?.previousMembers?.length, 3);
  });

  test("the cluster is not available, and recovers; that its majority is lost is not claimed", () => {
    const status = next(ran());
    assert.equal(status.phase, "Creating");
    assert.deepEqual(verdicts(status), [
      "Available False Restoring",
      "Recovering True Restoring",
      "Scaling False Creating",
      "QuorumLost False Restoring",
    ]);
    assert.match(conditionIn(status, "Available").message ?? "", /EtcdRestore from-backup, revision 100: stopping/);
  });

  test("also where the majority was lost before, or coreos/etcd-operator left it", () => {
    const lost = ran({ members: [gone("a"), gone("b"), gone("c")], membership: "unknown" });
    assert.equal(verdictIn(next(lost), "QuorumLost"), "False Restoring");
    const taken = ran({ status: { phase: "Running", currentVersion: "3.2.13" }, membership: "unknown" });
    assert.deepEqual([next(taken).phase, next(taken).currentVersion], ["Creating", undefined]);
  });

  test("one that was cancelled already changes nothing but its record", () => {
    const seen = ran({ metadata: asked({ isCanceled: true }) });
    const status = next(seen);
    assert.deepEqual(
      [status.restore?.state, status.clusterID, status.memberStatus?.length],
      ["RolledBack", CLUSTER_ID, 3],
    );
  });
});

describe("while a restore goes on", () => {
  test("what it waits for is reported beside it, and as the reason", () => {
    const setAside = { pods: [stoppedPod("a", { mayRun: true })], claims: [] };
    const seen = anObservation({ ...noMember, metadata: asked(), status: inRestore("Fencing"), seen: { setAside } });
    const status = next(seen);
    assert.match(status.restore?.reason ?? "", /report that a has stopped/);
    assert.equal(status.reason, status.restore?.reason);
    assert.deepEqual(verdicts(status).slice(0, 2), ["Available False Restoring", "Recovering True Restoring"]);
  });

  test("the first member is declared when no previous member runs, and what is not reported any more is removed", () => {
    const waiting = inRestore("Fencing");
    const status = { ...waiting, restore: { ...waiting.restore, reason: "waits" } } as EtcdClusterStatus;
    const declared = next(anObservation({ ...noMember, metadata: asked(), status }));
    assert.deepEqual([declared.restore?.state, declared.incarnation], ["Restoring", 2]);
    assert.deepEqual(declared.memberIntents, [{ name: "new-1", incarnation: 2, purpose: "Seed" }]);
  });

  test("what was postponed leaves it where it was", () => {
    const seen = anObservation({ ...noMember, metadata: asked(), status: inRestore("Fencing") });
    const status = statusOf(seen, plan(seen), POSTPONED);
    assert.deepEqual([status.restore?.state, status.memberIntents], ["Fencing", []]);
    assert.match(status.restore?.reason ?? "", /etcd says not now/);
  });

  test("its cluster is recorded when it answers; it serves, and is not complete yet", () => {
    const declared = { memberIntents: [{ name: "a", incarnation: 2, purpose: "Seed" as const }], incarnation: 2 };
    const { restore } = inRestore("Restoring");
    const status = {
      ...declared,
      restore: { ...restore, previousClusterID: "c0" },
      phase: "Creating",
    } as EtcdClusterStatus;
    const recorded = next(anObservation({ members: [leader("a")], size: 3, metadata: asked(), status }));
    assert.deepEqual([recorded.restore?.state, recorded.clusterID, recorded.phase], ["Joining", CLUSTER_ID, "Running"]);
    assert.deepEqual(verdicts(recorded), [
      "Available True MajorityHealthy",
      "Recovering True Restoring",
      "Scaling False Restoring",
      "QuorumLost False MajorityHealthy",
    ]);
    assert.match(
      conditionIn(recorded, "Recovering").message ?? "",
      /1 of 3 members of the restored cluster are voters/,
    );
  });

  test("a majority that is lost then is reported as such", () => {
    const status = inRestore("Joining", { clusterID: CLUSTER_ID, incarnation: 2, phase: "Running" });
    const memberStatus = [{ name: "a", id: "a", role: "Leader" as const, health: "Healthy" as const }];
    const lost = next(
      anObservation({ members: [gone("a")], membership: "unknown", size: 3, status: { ...status, memberStatus } }),
    );
    assert.equal(verdictIn(lost, "QuorumLost"), "True MajorityLost");
  });
});

describe("when a restore is over", () => {
  const turn = (to: "Done" | "RollingBack" | "RolledBack"): Step => ({ kind: "turn-restore", to });
  const turned = (seen: Observation, step: Step) => statusOf(seen, { ...step, ...why } as Action);

  test("it is done, and the cluster is what it is", () => {
    const status = inRestore("Joining", { clusterID: CLUSTER_ID, incarnation: 2, phase: "Running" });
    const done = turned(anObservation({ status, members: [leader("a"), healthy("b"), healthy("c")] }), turn("Done"));
    assert.deepEqual([done.restore?.state, done.clusterID, done.incarnation], ["Done", CLUSTER_ID, 2]);
    assert.equal(done.restore?.previousMembers, undefined);
    assert.equal(verdictIn(done, "Recovering"), "False NoMemberMissing");
  });

  test("cancelled, its intents are void and the reason is reported", () => {
    const memberIntents = [{ name: "new", incarnation: 2, purpose: "Seed" as const }];
    const seen = anObservation({ ...noMember, status: inRestore("Restoring", { incarnation: 2, memberIntents }) });
    const status = turned(seen, turn("RollingBack"));
    assert.deepEqual([status.memberIntents, status.restore?.state, status.restore?.reason], [[], "RollingBack", "m"]);
    assert.equal(verdictIn(status, "Available"), "False Restoring");
  });

  test("rolled back, the cluster before is the recorded one, with its members, and what was counted is used up", () => {
    const { restore } = inRestore("RollingBack");
    const previousMembers = [{ name: "a", id: "a", role: "Leader", health: "Healthy", version: "3.5.16" }] as const;
    const status = {
      incarnation: 4,
      phase: "Creating",
      restore: { ...restore, previousMembers },
    } as unknown as EtcdClusterStatus;
    const back = turned(anObservation({ ...noMember, status }), turn("RolledBack"));
    assert.deepEqual([back.clusterID, back.incarnation, back.currentVersion], [CLUSTER_ID, 1, "3.5.16"]);
    assert.deepEqual(
      back.memberStatus?.map(({ name, id, version }) => [name, id, version]),
      [["a", "a", "3.5.16"]],
    );
    assert.deepEqual(
      [back.restore?.state, back.restore?.incarnation, back.restore?.previousMembers],
      ["RolledBack", 4, undefined],
    );
  });

  test("rolled back to nothing, there is no cluster and none is counted", () => {
    const { restore } = inRestore("RollingBack");
    assert.ok(restore);
    const { previousClusterID: _, previousIncarnation: __, ...nothing } = restore;
    const back = turned(
      anObservation({ ...noMember, status: { incarnation: 2, restore: nothing } }),
      turn("RolledBack"),
    );
    assert.deepEqual([back.clusterID, back.incarnation], [undefined, undefined]);
    const held = next(anObservation({ ...noMember, status: back }));
    assert.equal(verdictIn(held, "Degraded"), "True NothingRestored");
  });

  test("members that come back have their full time again", () => {
    const memberStatus = [
      { name: "a", id: "a", role: "Leader", health: "Unknown", notHealthySince: "2029-01-01T00:00:00Z" },
    ] as const;
    const seen = ran({
      status: { clusterID: CLUSTER_ID, incarnation: 1, memberStatus: [...memberStatus] },
      members: [unknown("a")],
      membership: "unknown",
    });
    assert.equal(next(seen).restore?.previousMembers?.[0]?.notHealthySince, undefined);
  });
});
