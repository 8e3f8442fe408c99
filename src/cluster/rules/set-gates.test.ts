import assert from "node:assert/strict";
import { describe, test } from "vitest";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  unknown,
} from "../../../test/support/cluster/an-observation.ts";
import { plan } from "../plan.ts";

function gates(...members: MemberGiven[]): string[] {
  const action = plan(anObservation({ members: [leader("a"), healthy("b"), ...members], size: 2 + members.length }));
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

  test("are the Service's business where a pod of the old operator has no gate", () => {
    assert.deepEqual(gates(healthy("c", { pod: { gate: "absent" } })), []);
  });
});
