import assert from "node:assert/strict";
import { asked, inRestore, stoppedPod } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import { RESTORE_ANNOTATION } from "../../api/restore-request.ts";
import { plan } from "../plan.ts";

const noMember = { members: [], membership: "unknown", size: 3 } as const;
const attempt = { incarnation: 2, memberId: undefined, clusterId: undefined, stage: "pending" } as const;
const seed = (more: object = {}) => unknown("new", { listed: false, pod: { ...attempt, ...more } });
const planFor = (given: ObservationGiven) => plan(anObservation({ ...noMember, metadata: asked(), ...given }));

describe("a restore is rolled back", () => {
  test.each([
    ["when it is canceled", asked({ isCanceled: true })],
    ["when the request is removed", {}],
    ["when the request cannot be read any more", { annotations: { [RESTORE_ANNOTATION]: "{" } }],
    ["when another one is asked for instead", asked({ uid: "another" })],
  ])("%s", (_, metadata) => {
    for (const state of ["Fencing", "Restoring"] as const) {
      const action = planFor({ metadata, status: inRestore(state), members: [seed()] });
      assert.ok(action.kind === "turn-restore");
      assert.equal(action.to, "RollingBack");
    }
  });

  test("not while it is requested", () => {
    assert.notEqual(planFor({ status: inRestore("Fencing") }).kind, "turn-restore");
  });

  test("not once its cluster is recorded, nor when a member of it has reported its identity", () => {
    const status = inRestore("Joining", { clusterID: CLUSTER_ID, incarnation: 2 });
    const canceled = asked({ isCanceled: true });
    assert.notEqual(plan(anObservation({ metadata: canceled, status, size: 4 })).kind, "turn-restore");
    const identified = healthy("new", { pod: { incarnation: 2, clusterId: "c2", memberId: "new" } });
    const forgotten = {
      ...inRestore("Fencing"),
      restore: { ...inRestore("Fencing").restore, previousClusterID: "c0" },
    };
    const action = plan(anObservation({ metadata: canceled, status: forgotten as never, members: [identified] }));
    assert.equal(action.kind, "record-cluster");
    const claim = { incarnation: 2, clusterId: "c2", memberId: "new" };
    const podGone = { members: [{ name: "new", listed: false, pod: null, claim }], membership: "unknown" } as const;
    assert.equal(
      plan(anObservation({ metadata: canceled, status: forgotten as never, ...podGone })).kind,
      "record-cluster",
    );
  });
});

describe("on the way back", () => {
  const status = inRestore("RollingBack");

  test("first the pods that were made go, then their claims", () => {
    const claim = { incarnation: 2, memberId: undefined, clusterId: undefined };
    assert.equal(planFor({ status, members: [{ ...seed(), claim }] }).kind, "delete-pods");
    assert.equal(planFor({ status, members: [{ ...seed({ isTerminating: true }), claim }] }).kind, "hold");
    assert.equal(planFor({ status, members: [{ ...seed(), pod: null, claim }] }).kind, "delete-claims");
  });

  test("the cluster before is the recorded one again when nothing is left of the other; its pods stay stopped until then", () => {
    const setAside = { pods: [stoppedPod("a", { mayRun: true })], claims: [] };
    const action = planFor({ status, seen: { setAside } });
    assert.ok(action.kind === "turn-restore");
    assert.equal(action.to, "RolledBack");
  });

  test("another restore that is asked for meanwhile waits", () => {
    const action = planFor({ status, metadata: asked({ uid: "another" }), members: [seed()] });
    assert.equal(action.kind, "delete-pods");
    assert.equal(
      planFor({ status: inRestore("RolledBack"), metadata: asked({ uid: "another" }) }).kind,
      "begin-restore",
    );
  });
});

describe("a pod that was stopped", () => {
  const fencedImage = "example/etcd:v3.5.30";
  const stopped = (name: string, more: object = {}) =>
    unknown(name, { pod: { fencedImage, isEtcdRunning: false, image: "ours", trouble: "no such file", ...more } });
  const back = inRestore("RolledBack", { clusterID: CLUSTER_ID });

  test("gets its image back when its cluster is back", () => {
    const action = planFor({ status: back, members: [stopped("a"), stopped("b"), unknown("c")] });
    assert.ok(action.kind === "release-pods");
    assert.deepEqual(
      action.pods.map(({ pod, image }) => [pod.name, image]),
      [
        ["a", fencedImage],
        ["b", fencedImage],
      ],
    );
  });

  test.each([
    ["it never runs again", { stage: "ended" }],
    ["it is being deleted", { isTerminating: true }],
    ["it is of a cluster that was there even before", { clusterId: "c0" }],
  ])("does not when %s", (_, more) => {
    const members = [stopped("a", more), healthy("b")];
    assert.notEqual(planFor({ status: back, members, membership: "confirmed" }).kind, "release-pods");
  });

  test("does not when the restored cluster is complete and it still exists", () => {
    const status = inRestore("Done", { clusterID: CLUSTER_ID, incarnation: 2 });
    const members = [healthy("b"), healthy("c"), healthy("d"), stopped("a", { clusterId: "c0" })];
    assert.notEqual(plan(anObservation({ status, members })).kind, "release-pods");
  });

  test("gets it back also where the status was lost, unless something came in its place", () => {
    const unidentified = { memberId: undefined, clusterId: undefined, incarnation: 1 };
    assert.equal(planFor({ status: {}, metadata: {}, members: [stopped("a", unidentified)] }).kind, "release-pods");
    const members = [stopped("a", unidentified), seed()];
    assert.notEqual(planFor({ status: {}, metadata: {}, members }).kind, "release-pods");
  });
});
