import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  NOW_MS,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { POSTPONED, statusAfterPasses, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { Action } from "./model/action.ts";
import { isWorthWriting } from "./status/worth-writing.status.ts";

const CREATING = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Creating" } as const;
const RUNNING = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running", currentVersion: "3.5.30" } as const;
const FAILED = { ...RUNNING, phase: "Failed" } as const;
const OLD_OPERATORS = { phase: "Running", size: 3, currentVersion: "3.5.30" } as const;
const notReady = { pod: { isReady: false } };
const threeGone = [gone("a"), gone("b"), gone("c")];
const threeSilent = [unknown("a"), unknown("b"), unknown("c")];
const PROBLEMS = { problems: ["spec.size: 9: too large or too long: at most 7"] };

describe("the phase", () => {
  const cases: [what: string, given: ObservationGiven, phase: string][] = [
    ["nothing is there yet", { status: {}, members: [], size: 3, membership: "unknown" }, "Creating"],
    [
      "etcd answers, but no member is ready for clients",
      { status: CREATING, members: [leader("a", notReady)] },
      "Creating",
    ],
    [
      "the first member of a new cluster serves clients",
      { status: CREATING, members: [leader("a")], size: 3 },
      "Running",
    ],
    ["a majority is healthy", { members: [leader("a"), healthy("b"), gone("c")] }, "Running"],
    ["no member responds, which may pass", { status: RUNNING, members: threeSilent, membership: "unknown" }, "Running"],
    [
      "a majority lost its data",
      { status: RUNNING, members: [unhealthy("a"), gone("b"), gone("c")], membership: "unconfirmed" },
      "Failed",
    ],
    [
      "all pods are gone, but not their volumes",
      { status: RUNNING, members: threeGone, claims: true, membership: "unconfirmed" },
      "Running",
    ],
    ["what failed cannot be asked", { status: FAILED, members: threeSilent, membership: "unknown" }, "Failed"],
    ["what failed is back", { status: FAILED }, "Running"],
    ["what failed is back, but not ready yet", { status: FAILED, members: [leader("a", notReady)] }, "Running"],
    ["no member of a running cluster is ready", { status: RUNNING, members: [leader("a", notReady)] }, "Running"],
    ["a cluster is taken over", { status: OLD_OPERATORS }, "Running"],
    [
      "nothing is left of a cluster of coreos/etcd-operator",
      { status: OLD_OPERATORS, members: [], size: 3, membership: "unknown" },
      "Failed",
    ],
    ["the spec was never valid", { status: {}, members: [], size: 1, membership: "unknown", seen: PROBLEMS }, "Failed"],
    ["a cluster that is taken over has a spec that is refused", { status: OLD_OPERATORS, seen: PROBLEMS }, "Running"],
    ["the spec became invalid", { status: RUNNING, seen: PROBLEMS }, "Running"],
    [
      "a spec that was never valid is fixed",
      { status: { phase: "Failed", size: 0 }, members: [], size: 1, membership: "unknown" },
      "Creating",
    ],
  ];
  for (const [what, given, phase] of cases) {
    test(`is ${phase} when ${what}`, () => assert.equal(statusOf(anObservation(given)).phase, phase));
  }

  test("of a cluster that lost everything stays Failed from pass to pass", () => {
    const lost = { members: [], size: 3, membership: "unknown", seen: {} } as const;
    assert.equal(statusAfterPasses({ ...lost, status: OLD_OPERATORS }, lost, lost).phase, "Failed");
  });

  test("is Creating again when a new cluster is bootstrapped in the place of a lost one", () => {
    const seen = anObservation({ status: OLD_OPERATORS, members: [], size: 1, membership: "unknown" });
    const names = ["new-1"];
    assert.equal(
      statusOf(seen, { kind: "declare-seeds", names, incarnation: 1, reason: "WaitingForMembers", message: "m" }).phase,
      "Creating",
    );
  });
});

describe("the reason", () => {
  const hold: Action = { kind: "hold", reason: "WaitingForMembers", message: "Waiting for c" };

  test("is absent while all is healthy", () => assert.equal(statusOf(anObservation()).reason, undefined));

  test("says what holds the operator up", () => {
    assert.equal(statusOf(anObservation(), hold).reason, "Waiting for c");
  });

  test("says why an action was postponed", () => {
    const action: Action = {
      kind: "promote-member",
      member: { name: "c", id: "c" },
      reason: "WaitingForMembers",
      message: "c becomes a voter",
    };
    assert.equal(statusOf(anObservation(), action, POSTPONED).reason, "c becomes a voter: etcd says not now");
  });

  test("says why the cluster failed, and what can be done", () => {
    const { reason } = statusOf(anObservation({ status: RUNNING, members: threeGone, membership: "unknown" }), hold);
    assert.match(reason ?? "", /No member is left.*delete and recreate this EtcdCluster/);
  });

  test("says what is wrong with a spec that was never valid", () => {
    const seen = anObservation({ status: {}, members: [], size: 1, membership: "unknown", seen: PROBLEMS });
    assert.equal(statusOf(seen, hold).reason, PROBLEMS.problems[0]);
  });
});

describe("the members", () => {
  const namesOf = (given: ObservationGiven) => statusOf(anObservation(given)).members;
  const oldPod = { gate: "absent", memberId: undefined, incarnation: undefined } as const;

  test("are ready when they are healthy voters with a ready pod, in the order of their names", () => {
    const members = [
      healthy("d", notReady),
      unhealthy("c"),
      leader("b"),
      healthy("a"),
      healthy("e", { listed: "learner" }),
      healthy("f", { pod: oldPod }),
      healthy("g", { pod: { isTerminating: true } }),
    ];
    assert.deepEqual(namesOf({ members }), { ready: ["a", "b", "f"], unready: ["c", "d", "e", "g"] });
  });

  test("are counted: those in etcd's list, and those that serve clients", () => {
    const { size, readyMembers } = statusOf(anObservation({ members: [leader("a"), healthy("b"), gone("c")] }));
    assert.deepEqual([size, readyMembers], [3, 2]);
  });

  test("keep their number while no majority reports it", () => {
    for (const membership of ["unknown", "unconfirmed"] as const) {
      const given = { status: { ...RUNNING, size: 5 }, members: threeSilent, membership };
      assert.equal(statusOf(anObservation(given)).size, 5);
    }
  });

  test("are fewer as soon as etcd agreed to a removal", () => {
    const action: Action = {
      kind: "remove-member",
      member: { name: "c", id: "c" },
      because: "dead",
      reason: "WaitingForMembers",
      message: "m",
    };
    const seen = anObservation({ members: [leader("a"), healthy("b"), gone("c")] });
    const { size, memberStatus } = statusOf(seen, action);
    assert.deepEqual([size, memberStatus?.map(({ name }) => name)], [2, ["a", "b"]]);
    assert.equal(statusOf(seen, action, POSTPONED).size, 3);
    const both: Action = { ...action, others: [{ name: "b", id: "b" }], because: "surplus" };
    assert.equal(statusOf(seen, both).size, 1);
    assert.equal(statusOf(seen, both, { kind: "done", spared: 1 }).size, 2);
  });
});

test("the status says where clients find the cluster, and which spec it is about", () => {
  const status = statusOf(anObservation({ metadata: { generation: 7 }, spec: { paused: true } }));
  const { serviceName, clientPort, labelSelector, observedGeneration, controlPaused } = status;
  assert.deepEqual([serviceName, clientPort, labelSelector], ["example-client", 2379, "app=etcd,etcd_cluster=example"]);
  assert.deepEqual([observedGeneration, controlPaused], [7, true]);
});

describe("the limits of the schema", () => {
  test("hold for a name that no Service can have", () => {
    const seen = anObservation();
    const metadata = { ...seen.cluster.metadata, name: "x".repeat(250) };
    assert.equal(statusOf({ ...seen, cluster: { ...seen.cluster, metadata } }).serviceName, undefined);
  });

  test("hold for more members, longer names and more trouble than any cluster should have", () => {
    const names = Array.from({ length: 20 }, (_, i) => `${i}-${"x".repeat(100)}`);
    const given = names.map((name) => unknown(name, { pod: { trouble: "t".repeat(9999) } }));
    const members = names.map((name, i) => ({ id: `${i}`, name, peerUrls: [], isLearner: false }));
    const seen = anObservation({ members: given, size: 7, seen: { membership: { kind: "confirmed", members } } });
    assert.equal(statusOf(seen).memberStatus?.length, 16);
  });

  test("hold for more intents: what does not fit is not declared", () => {
    const memberIntents = Array.from({ length: 16 }, (_, i) => ({
      name: `n${i}`,
      incarnation: 1,
      purpose: "Join" as const,
    }));
    const seen = anObservation({ status: { ...RUNNING, memberIntents } });
    const next = statusOf(seen, { kind: "declare-join", name: "late", reason: "WaitingForMembers", message: "m" });
    assert.deepEqual(next.memberIntents, memberIntents);
  });
});

test("an idle cluster has nothing new to report, however often it is reconciled", () => {
  const first = statusAfterPasses({ status: RUNNING });
  const later = anObservation({ status: first, seen: { nowMs: NOW_MS + 60_000 } });
  const busy = later.pods.map((pod) => ({
    ...pod,
    answer: { ...pod.answer, ...(pod.answer.status && { status: { ...pod.answer.status, revision: 999 } }) },
  }));
  assert.equal(isWorthWriting(first, statusOf({ ...later, pods: busy })), false);
});
