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
import { describe, test } from "vitest";
import { plan } from "../plan.ts";

const deleted: Partial<MemberGiven> = { claim: { isTerminating: true } };
const declared = {
  clusterID: CLUSTER_ID,
  incarnation: 1,
  memberIntents: [{ name: "n", incarnation: 1, purpose: "Join" as const }],
};
const next = (members: readonly MemberGiven[], size: number, more: ObservationGiven = {}) => {
  const action = plan(anObservation({ claims: true, size, members, ...more }));
  const { kind } = action;
  if (kind === "remove-member") return `${kind} ${action.member.name} ${action.because}`;
  if (kind === "move-leader") return `${kind} ${action.from.name} ${action.to.name}`;
  return kind === "add-member" || kind === "declare-join" ? `${kind} ${action.name}` : kind;
};

describe("a member whose claim is being deleted under it", () => {
  test("is replaced by one that comes first: declared, added as a learner, promoted", () => {
    const members = [leader("a"), healthy("b", deleted), healthy("c")];
    assert.equal(next(members, 3), "declare-join new-1");
    assert.equal(next(members, 3, { status: declared }), "add-member n");
    const learner = healthy("n", {
      listed: "learner",
      pod: { memberId: "n" },
      claim: { memberId: "n", clusterId: CLUSTER_ID },
    });
    assert.equal(next([...members, learner], 3, { status: declared }), "promote-member");
  });

  test("is removed when its successor serves, after it has handed over where it leads", () => {
    const three = [healthy("c"), healthy("n")];
    assert.equal(next([leader("a"), healthy("b", deleted), ...three], 3), "remove-member b surplus");
    assert.match(next([leader("a", deleted), healthy("b"), ...three], 3), /^move-leader a /);
  });

  test("is replaced alone, also where there is only one, and where all claims were deleted", () => {
    assert.equal(next([leader("a", deleted)], 1), "declare-join new-1");
    assert.equal(next([leader("a", deleted), healthy("n")], 1), "move-leader a n");
    const all = [leader("a", deleted), healthy("b", deleted), healthy("c", deleted)];
    assert.equal(next(all, 3), "declare-join new-1");
    assert.equal(next([...all, healthy("n")], 3), "remove-member b surplus");
  });

  test("waits while another member is not healthy", () => {
    const members = [leader("a"), healthy("b", deleted), unknown("c")];
    assert.equal(next(members, 3), "hold");
  });

  test("is replaced where etcd knows no learners, too, by a voter that comes first", () => {
    const members = [leader("a"), healthy("b", deleted), healthy("c")];
    assert.equal(next(members, 3, { version: "3.3.25", status: declared }), "add-member n");
  });
});
