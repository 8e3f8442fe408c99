import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { DONE, NOTHING, POSTPONED, RUNNING, statusOf } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import type { Action, Step } from "../model/action.ts";
import type { MemberIntent } from "../model/members.ts";

const seed = (name: string): MemberIntent => ({ name, incarnation: 1, purpose: "Seed" });
const join = (name: string, incarnation = 1): MemberIntent => ({ name, incarnation, purpose: "Join" });
const because = (step: Step): Action => ({ ...step, reason: "WaitingForMembers", message: "m" });

describe("an action leaves its note", () => {
  const founding = {
    status: { incarnation: 4, memberIntents: [seed("x")] },
    members: [],
    size: 3,
    membership: "unknown",
  } as const;
  const running = { status: { ...RUNNING, memberIntents: [join("c"), join("d")] } };

  test("declaring initial members replaces every intent, and begins an incarnation", () => {
    const seen = anObservation({ ...founding, status: { ...founding.status, memberIntents: [seed("x")] } });
    const { memberIntents, incarnation } = statusOf(
      seen,
      because({ kind: "declare-seeds", names: ["y", "z"], incarnation: 5 }),
    );
    const [y, z] = ["y", "z"].map((name) => ({ ...seed(name), incarnation: 5 }));
    assert.deepEqual([memberIntents, incarnation], [[y, z], 5]);
  });

  test("declaring a member adds its intent", () => {
    const { memberIntents } = statusOf(
      anObservation({ status: { ...RUNNING, incarnation: 2 } }),
      because({ kind: "declare-join", name: "d" }),
    );
    assert.deepEqual(memberIntents, [join("d", 2)]);
  });

  test("forgetting takes intents away", () => {
    const { memberIntents } = statusOf(anObservation(running), because({ kind: "forget-intents", names: ["c"] }));
    assert.deepEqual(
      memberIntents?.map(({ name }) => name),
      ["d"],
    );
  });

  test("removing a member takes its intent away: its name is never used again", () => {
    const step: Step = { kind: "remove-member", member: { name: "d", id: "d" }, because: "never-started" };
    const members = [
      leader("a"),
      healthy("b"),
      unknown("c", { listed: "learner" }),
      unknown("d", { listed: "unstarted-learner" }),
    ];
    const { memberIntents } = statusOf(anObservation({ ...running, members }), because(step));
    assert.deepEqual(memberIntents, [join("c")]);
  });

  test("recording a cluster keeps its id and incarnation", () => {
    const seen = anObservation({ status: {}, members: [leader("a")] });
    const { clusterID, incarnation } = statusOf(
      seen,
      because({ kind: "record-cluster", clusterId: "c1", incarnation: 3 }),
    );
    assert.deepEqual([clusterID, incarnation], ["c1", 3]);
  });

  test("unless it was postponed", () => {
    const steps: Step[] = [
      { kind: "declare-seeds", names: ["y"], incarnation: 5 },
      { kind: "declare-join", name: "y" },
      { kind: "forget-intents", names: ["c", "d"] },
      { kind: "record-cluster", clusterId: "c2", incarnation: 9 },
    ];
    for (const step of steps) {
      const seen = anObservation({ ...running, members: [leader("a")] });
      const { memberIntents, incarnation, clusterID } = statusOf(seen, because(step), POSTPONED);
      assert.deepEqual([memberIntents, incarnation, clusterID], [running.status.memberIntents, 1, CLUSTER_ID]);
    }
  });
});

describe("an intent", () => {
  const identified = { pod: { memberId: "c" } };
  const intentsOf = (given: ObservationGiven, member: MemberGiven) => {
    const seen = anObservation({ status: RUNNING, members: [leader("a"), healthy("b"), member], ...given });
    const status = { ...seen.cluster.status, memberIntents: [join("c")], ...given.status };
    const { memberIntents } = statusOf({ ...seen, cluster: { ...seen.cluster, status } }, NOTHING, DONE);
    return memberIntents?.map(({ name }) => name);
  };

  test("ends when its member has started and its pod says which it is", () => {
    assert.deepEqual(intentsOf({}, healthy("c", { listed: "learner", ...identified })), []);
  });

  const standing: [what: string, given: ObservationGiven, member: MemberGiven][] = [
    ["its pod does not say which member it is", {}, healthy("c", { listed: "learner" })],
    [
      "its claim does not say so either",
      { claims: true },
      healthy("c", { ...identified, claim: { memberId: undefined } }),
    ],
    ["it has not started", {}, unknown("c", { listed: "unstarted-learner", ...identified })],
    ["it is not in the list", {}, healthy("c", { listed: false, ...identified })],
    ["no majority confirms the list", { membership: "unconfirmed" }, healthy("c", identified)],
  ];
  for (const [what, given, member] of standing) {
    test(`stands while ${what}`, () => assert.deepEqual(intentsOf(given, member), ["c"]));
  }

  test("of an initial member is kept until the cluster is on record", () => {
    const founder = { memberIntents: [seed("c")], incarnation: 1 };
    assert.deepEqual(intentsOf({ status: { clusterID: undefined, ...founder } }, healthy("c", identified)), ["c"]);
    assert.deepEqual(intentsOf({ status: { ...RUNNING, ...founder } }, healthy("c", identified)), []);
  });

  test("of an earlier incarnation ends once a later cluster is on record", () => {
    const absent = healthy("c", { listed: false, pod: null });
    assert.deepEqual(intentsOf({ status: { ...RUNNING, incarnation: 2, memberIntents: [join("c", 1)] } }, absent), []);
    assert.deepEqual(
      intentsOf({ status: { incarnation: 2, clusterID: undefined, memberIntents: [join("c", 1)] } }, absent),
      ["c"],
    );
  });
});
