import assert from "node:assert/strict";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  NOW_MS,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { noted } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { Observation } from "../model/observation.ts";
import { plan } from "../plan.ts";

function gates(...members: MemberGiven[]): string[] {
  return gatesOf(anObservation({ members: [leader("a"), healthy("b"), ...members], size: 2 + members.length }));
}

function gatesOf(seen: Observation): string[] {
  const action = plan(seen);
  return action.kind === "set-gates" ? action.gates.map(({ pod, isOpen }) => `${pod.name} ${isOpen}`) : [];
}

describe("clients", () => {
  test("get to a voter that is healthy and identified", () => {
    assert.deepEqual(gates(healthy("c", { pod: { gate: "closed" } })), ["c true"]);
  });

  test("do not get to a voter whose pod does not say whose data it holds", () => {
    const pod = { gate: "closed", memberId: "another" } as const;
    assert.deepEqual(gates(healthy("c", { pod })), []);
  });

  test("do not get to a learner, nor to a member that was removed", () => {
    const open = { gate: "open", memberId: "c" } as const;
    assert.deepEqual(gates(healthy("c", { listed: "learner", pod: open })), ["c false"]);
    assert.deepEqual(gates(healthy("c", { listed: false, pod: open })), ["c false"]);
  });

  test("are not sent away because we do not see a voter: that is for the kubelet's probes", () => {
    assert.deepEqual(gates(unknown("c", { pod: { gate: "open" } })), []);
  });

  test.each(["confirmed", "unknown"] as const)(
    "are sent away from a pod in which another cluster or member answers, with a list that is %s",
    (membership) => {
      const open = (answer: object) => ({ gate: "open", answer: { health: "unknown", ...answer } }) as const;
      const status = { ...noted({ a: "3.5.30", b: "3.5.30", c: "3.5.30" }), clusterID: "c1" };
      const members = [unknown("a"), unknown("b", { pod: open({ otherMemberId: "a" }) })];
      const given = {
        members: [...members, unknown("c", { pod: open({ otherClusterId: "c2" }) })],
        membership,
        status,
      };
      assert.deepEqual(gatesOf(anObservation(given)), ["b false", "c false"]);
    },
  );

  test.each([
    [
      "are sent away from a voter that has had no majority for a while, where its probes do not ask it",
      6_000,
      false,
      ["c false"],
    ],
    ["stay with it for as long as a probe would take to be believed", 5_000, false, []],
    ["are left to the probes where those ask", 60_000, true, []],
  ])("%s", (_, forMs, asksForLivez, expected) => {
    const notHealthySince = new Date(NOW_MS - forMs).toISOString();
    const status = noted({ a: "3.4.23", b: "3.4.23", c: "3.4.23" }, notHealthySince);
    const notReadySinceMs = undefined;
    const members = [
      leader("a"),
      healthy("b"),
      unhealthy("c", { pod: { gate: "open", asksForLivez, notReadySinceMs } }),
    ];
    assert.deepEqual(gatesOf(anObservation({ members, status, version: "3.4.23" })), expected);
  });

  test("are the Service's business where a pod of coreos/etcd-operator has no gate", () => {
    assert.deepEqual(gates(healthy("c", { pod: { gate: "absent" } })), []);
  });
});
