import assert from "node:assert/strict";
import {
  anObservation,
  gone,
  healthy,
  leader,
  NOW_MS,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { RUNNING, statusAfterPasses, verdictIn } from "@etcd-operator/testing/cluster/status-of.ts";
import { describe, test } from "vitest";
import { recheckMs } from "./recheck.status.ts";

const oneDown = { members: [leader("a"), healthy("b"), unhealthy("c")] };
const allDown = { members: [unknown("a"), unknown("b"), unknown("c")], membership: "unknown" } as const;

/** When to reconcile again, so long after the first of two reconciles that saw the same. */
function recheckAfter(atMs: number, given: ObservationGiven): number | undefined {
  const status = statusAfterPasses({ status: RUNNING }, given);
  return recheckMs(anObservation({ ...given, status, seen: { nowMs: NOW_MS + atMs, ...given.seen } }));
}

describe("time alone", () => {
  test("changes nothing while all is healthy", () => assert.equal(recheckMs(anObservation()), undefined));

  test("makes a quorum lost after five seconds", () => {
    assert.equal(recheckMs(anObservation({ ...allDown, status: RUNNING })), 5_000);
    assert.equal(recheckAfter(4_000, allDown), 1_000);
  });

  test("makes a member overdue after the time that the user set", () => {
    assert.equal(recheckAfter(4_000, oneDown), 56_000);
    assert.equal(recheckAfter(4_000, { ...oneDown, spec: { memberReplacement: { afterSeconds: 5 } } }), 1_000);
  });

  test("makes a pod that finds no node Degraded after ten seconds, and not for the moment in which its volume is made", () => {
    const pod = { trouble: "it cannot be scheduled: unbound claim", stage: "pending", isScheduled: false } as const;
    const since = { ...pod, unschedulableSinceMs: NOW_MS };
    const given = { members: [leader("a"), unknown("b", { listed: "unstarted-learner", pod: since })], size: 2 };
    const reasonAt = (atMs: number) => verdictIn(statusAfterPasses({ ...given, atMs }), "Degraded");
    assert.deepEqual([reasonAt(4_000), recheckAfter(4_000, given)], ["False NoProblems", 6_000]);
    assert.equal(reasonAt(10_000), "True PodsCannotRun");
  });

  test("first does what comes first, and then the rest", () => {
    assert.equal(recheckAfter(30_000, allDown), 30_000);
    assert.equal(recheckAfter(70_000, allDown), undefined);
  });

  test("does nothing to a member that the kubelet finds ready", () => {
    const members = [leader("a"), healthy("b"), unknown("c", { pod: { isReady: true } })];
    assert.equal(recheckAfter(4_000, { members }), undefined);
    const pod = { isReady: true, answer: { health: "unknown", otherClusterId: "c2" } } as const;
    const duplicate = [leader("a"), healthy("b"), unknown("c", { pod })];
    assert.equal(recheckAfter(4_000, { members: duplicate }), 56_000);
  });

  test("ends a defragmentation, which no event reports", () => {
    const pod = { answer: { health: "unknown", isDefragmenting: true } } as const;
    const members = [leader("a"), healthy("b"), unknown("c", { pod })];
    assert.equal(recheckAfter(3_600_000, { members }), 10_000);
  });

  test("does nothing under a spec that cannot be trusted, except to the quorum", () => {
    assert.equal(recheckAfter(4_000, { ...oneDown, seen: { problems: ["spec: wrong"] } }), undefined);
  });

  test("does nothing to what is lost already", () => {
    const members = [unhealthy("a"), gone("b"), gone("c")];
    const given = { members, membership: "unconfirmed", spec: { memberReplacement: { afterSeconds: 0 } } } as const;
    assert.equal(recheckMs(anObservation(given)), undefined);
  });
});
