import assert from "node:assert/strict";
import {
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unhealthy,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { answering, edited, noted, running } from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { Observation } from "../model/observation.ts";
import { plan } from "../plan.ts";

const three: MemberGiven[] = [leader("a"), healthy("b"), healthy("c")];
const UP_TO = 100 + 10_000 + 5_500;

/** Members that are to go to the next minor, each so far in its log. */
function leaving(from: string, to: string, index: number, given: ObservationGiven = {}): Observation {
  const minor = from.replace(/\.\d+$/, "");
  const status = { ...noted({ a: from, b: from, c: from }), logMark: { minor, raftIndex: 100 } };
  const seen = edited({ members: three, claims: true, version: from, status, ...given }, { version: to });
  return answering({ appliedIndex: index }, seen);
}

const said = (seen: Observation) => {
  const action = plan(seen);
  return action.kind === "force-snapshot" ? `up to ${action.upTo}` : action.kind;
};

describe("before members leave their minor", () => {
  test.each([
    ["3.4.37", "3.5.35"],
    ["3.5.35", "3.6.16"],
    ["3.6.16", "3.7.3"],
  ])("from %s to %s, the log is turned over", (from, to) => {
    assert.equal(said(leaving(from, to, 500)), `up to ${UP_TO}`);
    assert.equal(said(leaving(from, to, UP_TO - 1)), `up to ${UP_TO}`);
    assert.equal(said(leaving(from, to, UP_TO)), "restart-member");
  });

  test("no more is written once one has got there: the others follow by themselves", () => {
    assert.equal(said(answering({ appliedIndex: UP_TO }, leaving("3.5.35", "3.6.16", 500), "a")), "restart-member");
  });

  test("it is said what for", () => {
    const { reason, message } = plan(leaving("3.5.35", "3.6.16", 500));
    assert.deepEqual([reason, message.includes("before upgrading to 3.6.16")], ["ForcingSnapshot", true]);
  });

  test("no member joins with the next one either", () => {
    const alone = { members: [leader("a")], claims: false };
    assert.equal(said(leaving("3.5.35", "3.6.16", 500, alone)), `up to ${UP_TO}`);
    assert.equal(said(leaving("3.5.35", "3.6.16", UP_TO, alone)), "declare-join");
  });

  test("also while one is declared that is to replace another: it would join with the next one, and wait for this", () => {
    const declared = leaving("3.5.35", "3.6.16", 500, { members: [leader("a")], claims: false });
    const memberIntents = [{ name: "d", purpose: "Join", incarnation: 1 }] as const;
    const status = { ...declared.cluster.status, memberIntents: [...memberIntents] };
    assert.equal(said({ ...declared, cluster: { ...declared.cluster, status } }), `up to ${UP_TO}`);
  });
});

describe("the log is not turned over", () => {
  test("for another patch, for 3.4, which reads it all, nor for going back", () => {
    assert.equal(said(leaving("3.5.34", "3.5.35", 500)), "restart-member");
    assert.equal(said(leaving("3.3.25", "3.4.37", 500)), "restart-member");
    const mixed = running("3.6.16", leaving("3.5.35", "3.5.35", 500), "b");
    assert.equal(said(mixed), "restart-member");
  });

  test("while a member is not healthy: it would have to be sent what it misses", () => {
    const members = [leader("a"), healthy("b"), unhealthy("c", { pod: { isReady: false } })];
    assert.notEqual(said(leaving("3.5.35", "3.6.16", 500, { members })), `up to ${UP_TO}`);
  });

  test("while a member is missing, which comes first", () => {
    const two = { members: three.slice(0, 2), size: 3 };
    assert.equal(said(leaving("3.5.35", "3.6.16", 500, two)), "declare-join");
  });

  test("where etcd takes it from none but its users: the version is refused", () => {
    const barred = { ...leaving("3.5.35", "3.6.16", 500), minorBarred: "etcd requires authentication" };
    assert.match(plan(barred).message, /'3\.6\.16' cannot be reached: etcd requires authentication/);
  });

  test("while an alarm is raised", () => {
    const alarms = [{ memberId: "a", kind: "no-space" }] as const;
    assert.equal(said({ ...leaving("3.5.35", "3.6.16", 500), alarms }), "hold");
  });

  test("before what has to be healed or removed", () => {
    const four = { members: [...three, healthy("d")], size: 3 };
    assert.notEqual(said(leaving("3.5.35", "3.6.16", 500, four)), `up to ${UP_TO}`);
  });
});
