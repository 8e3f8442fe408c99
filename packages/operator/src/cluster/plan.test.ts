import assert from "node:assert/strict";
import { anObservation, gone, healthy, leader, unknown } from "@etcd-operator/testing/cluster/an-observation.ts";
import { afterStall } from "@etcd-operator/testing/cluster/stalled.ts";
import { describe, test } from "vitest";
import { decide, plan } from "./plan.ts";

describe("an action that came to nothing", () => {
  const learner = healthy("e", { listed: "learner", pod: { memberId: "e" } });

  test("is passed over: a learner that etcd refuses for ever keeps no dead voter from being removed (M1)", () => {
    const seen = anObservation({ size: 5, members: [leader("a"), healthy("b"), healthy("c"), gone("d"), learner] });
    const promotion = plan(seen);
    assert.equal(promotion.kind, "promote-member");
    const { action, passedOver } = decide(afterStall(seen, promotion, { came: "refused" }));
    assert.equal(action.kind === "remove-member" && action.member.name, "d");
    assert.deepEqual(passedOver, [promotion]);
  });

  test("is planned again when its next try is due", () => {
    const seen = anObservation({ size: 2, members: [leader("a"), learner] });
    const promotion = plan(seen);
    assert.notEqual(plan(afterStall(seen, promotion)).kind, "promote-member");
    assert.deepEqual(plan(afterStall(seen, promotion, { leftMs: 0 })), promotion);
  });

  test("is not passed over before the cluster is recorded: each step of its bootstrap builds on the previous one", () => {
    const seen = anObservation({ members: [], size: 3, status: {} });
    const missing = { kind: "missing" } as const;
    const founding = { ...seen, objects: { ...seen.objects, peerService: missing, clientService: missing } };
    const services = plan(founding);
    assert.equal(services.kind, "write-objects");
    assert.deepEqual(decide(afterStall(founding, services)), { action: services, passedOver: [] });
  });

  test("is not passed over while a restore is under way", () => {
    const seen = anObservation();
    const restore = { name: "r", uid: "r", state: "Joining", incarnation: 1, revision: 1 } as const;
    const { cluster, objects } = seen;
    const restoring = {
      ...seen,
      cluster: { ...cluster, status: { ...cluster.status, restore } },
      objects: { ...objects, clientService: { kind: "missing" } as const },
    };
    const services = plan(restoring);
    assert.equal(services.kind, "write-objects");
    assert.equal(plan(afterStall(restoring, services)).kind, "write-objects");
  });

  test("costs no member: one whose pod Kubernetes does not take is not replaced by another, however long it has been away", () => {
    const members = [leader("a"), healthy("b"), unknown("c", { pod: null })];
    const notHealthySince = "2020-01-01T00:00:00Z";
    const { status } = anObservation({ members, claims: true }).cluster;
    const memberStatus = [{ name: "c", id: "c", role: "Follower", health: "Unknown", notHealthySince }] as const;
    const seen = anObservation({ members, claims: true, status: { ...status, memberStatus: [...memberStatus] } });
    const start = plan(seen);
    assert.equal(start.kind, "start-members");
    assert.notEqual(plan(afterStall(seen, start, { came: "failed" })).kind, "remove-member");
  });

  test("to hand leadership over is tried with another member (L8)", () => {
    const image = { image: "quay.io/coreos/etcd:v0.0.0" };
    const members = [leader("a", { pod: image }), healthy("b"), healthy("c")];
    const seen = anObservation({ members });
    const first = plan(seen);
    assert.equal(first.kind === "move-leader" && first.to.name, "b");
    const second = plan(afterStall(seen, first, { came: "failed" }));
    assert.equal(second.kind === "move-leader" && second.to.name, "c");
    const both = afterStall(afterStall(seen, first, { came: "failed" }), second, { leftMs: 0 });
    assert.deepEqual(plan(both), second);
  });
});
