import assert from "node:assert/strict";
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
import { conditionIn, statusAfterPasses, statusOf, verdictIn } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { AlarmSeen } from "../model/observation.ts";

const NEW = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Creating" } as const;
const NOT_READY = { pod: { isReady: false } };
const READY_LEARNER = { listed: "learner", pod: { isReady: true } } as const;
const noneReady = [leader("a", NOT_READY), healthy("b", NOT_READY), healthy("c", NOT_READY)];
const YES = "True MajorityHealthy";
const NO_READY_POD = "False NoReadyMember";
const alarms = (...kinds: readonly AlarmSeen["kind"][]) => ({
  seen: { alarms: kinds.map((kind) => ({ memberId: "b", kind })) },
});

describe("Available", () => {
  const cases: [what: string, given: ObservationGiven, verdict: string][] = [
    ["all are healthy", {}, YES],
    [
      "its client Service is another object's",
      { seen: { objects: { ...anObservation().objects, clientService: { kind: "foreign" } } } },
      "False ForeignService",
    ],
    ["two of three are healthy", { members: [leader("a"), healthy("b"), gone("c")] }, YES],
    ["one of three is healthy", { members: [healthy("a"), unhealthy("b"), unknown("c")] }, "False NoQuorum"],
    ["two of four are healthy", { members: [leader("a"), healthy("b"), unknown("c"), unknown("d")] }, "False NoQuorum"],
    [
      "a learner makes up the number",
      { members: [leader("a"), unknown("b"), healthy("c", { listed: "learner" })] },
      "False NoQuorum",
    ],
    ["no majority confirms the list", { membership: "unconfirmed" }, "False MembershipUnconfirmed"],
    ["the data of a majority is gone", { members: [unhealthy("a"), gone("b"), gone("c")] }, "False MajorityLost"],
    [
      "an initial member has not answered yet",
      { status: {}, members: [unknown("a")], membership: "unknown" },
      "False Creating",
    ],
    ["no gate has opened yet", { status: NEW, members: [leader("a", { pod: { isReady: false } })] }, "False Creating"],
    ["the first of three serves clients", { status: NEW, members: [leader("a")], size: 3 }, YES],
    ["no pod is ready, though the members are well", { members: noneReady }, NO_READY_POD],
    ["one pod of three is ready", { members: [leader("a", NOT_READY), healthy("b", NOT_READY), healthy("c")] }, YES],
    ["the only ready pod is being deleted", { members: [leader("a", { pod: { isTerminating: true } })] }, NO_READY_POD],
    ["only a learner is ready", { members: [leader("a", NOT_READY), healthy("b", READY_LEARNER)] }, NO_READY_POD],
    ["a member has no space left", alarms("no-space"), "False NoSpaceAlarm"],
    ["a member found corrupt data", alarms("corrupt"), "False CorruptAlarm"],
    ["both alarms are raised", alarms("no-space", "corrupt"), "False CorruptAlarm"],
    [
      "an alarm made the pods unready",
      { members: noneReady, seen: { alarms: [{ memberId: "a", kind: "no-space" }] } },
      "False NoSpaceAlarm",
    ],
    [
      "an alarm is raised, but the majority is away",
      { ...alarms("no-space"), members: [healthy("a"), unknown("b"), unknown("c")] },
      "False NoQuorum",
    ],
  ];
  for (const [what, given, verdict] of cases) {
    test(`is ${verdict} when ${what}`, () => {
      assert.equal(verdictIn(statusOf(anObservation(given)), "Available"), verdict);
    });
  }

  test("is False InvalidSpec when there is no cluster because of its spec", () => {
    const seen = anObservation({ status: {}, members: [], size: 1, membership: "unknown", seen: { problems: ["x"] } });
    assert.equal(verdictIn(statusOf(seen), "Available"), "False InvalidSpec");
  });

  test("names the members that are not healthy, and why", () => {
    const members = [healthy("a"), unknown("b", { pod: { trouble: "no node fits" } }), unknown("c")];
    const { message } = conditionIn(statusOf(anObservation({ members })), "Available");
    assert.equal(message, "1 of 3 voting members is healthy; not b (no node fits), c (not reached)");
  });

  test("reports which alarm refuses writes, of which member, and how to clear it", () => {
    const noSpace = conditionIn(statusOf(anObservation(alarms("no-space"))), "Available").message ?? "";
    assert.match(noSpace, /^Compact, defragment and disarm the alarm .*alarm NOSPACE\) of b$/);
    const corrupt = conditionIn(statusOf(anObservation(alarms("corrupt"))), "Available").message ?? "";
    assert.match(corrupt, /alarm CORRUPT.*Remove the affected member.*disarm the alarm\. Affected: b$/);
  });

  test("does not report as a member the 0 that etcd names when it does not know the corrupt one", () => {
    const seen = anObservation({ seen: { alarms: [{ memberId: "0", kind: "corrupt" }] } });
    assert.match(conditionIn(statusOf(seen), "Available").message ?? "", /Affected: an unknown member$/);
  });

  test("names the Service without endpoints, and where to look", () => {
    const { message } = conditionIn(statusOf(anObservation({ members: noneReady })), "Available");
    assert.equal(
      message,
      "3 of 3 voting members are healthy, but no pod is ready, so the Service 'example-client' has no endpoints; " +
        "'kubectl describe pod -l app=etcd,etcd_cluster=example' shows why",
    );
  });

  test("stays True while a member of three is lost, replaced and promoted", () => {
    const two = [leader("a"), healthy("b")];
    const status = statusAfterPasses(
      {},
      { members: [...two, gone("c")], atMs: 1_000 },
      { members: two, size: 3, atMs: 2_000 },
      { members: [...two, gone("d", { listed: "unstarted-learner" })], atMs: 3_000 },
      { members: [...two, healthy("d", { listed: "learner" })], atMs: 4_000 },
      { members: [...two, healthy("d", NOT_READY)], atMs: 5_000 },
      { members: [...two, healthy("d")], atMs: 6_000 },
    );
    assert.equal(verdictIn(status, "Available"), YES);
    assert.equal(conditionIn(status, "Available").lastTransitionTime, "2030-01-01T00:00:00Z");
  });

  test("stays True from the first ready member of a new cluster on", () => {
    const status = statusAfterPasses(
      { status: NEW, members: [leader("a", NOT_READY)], size: 3 },
      { members: [leader("a")], size: 3, atMs: 1_000 },
      { members: [leader("a"), healthy("b", { listed: "learner" })], size: 3, atMs: 2_000 },
      { members: [leader("a"), healthy("b", NOT_READY)], size: 3, atMs: 3_000 },
      { members: [leader("a"), healthy("b"), healthy("c", NOT_READY)], atMs: 4_000 },
      { atMs: 5_000 },
    );
    assert.equal(conditionIn(status, "Available").lastTransitionTime, "2030-01-01T00:00:01Z");
  });

  test("is True again when the alarm is disarmed", () => {
    const status = statusAfterPasses({}, { ...alarms("no-space"), atMs: 1_000 }, { atMs: 2_000 });
    assert.equal(verdictIn(status, "Available"), YES);
  });
});
