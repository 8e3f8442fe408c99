import assert from "node:assert/strict";
import { asked, formerClaim, inRestore, RESTORE_UID, stoppedPod } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  type MemberGiven,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { RESTORE_ANNOTATION } from "../../api/restore-request.ts";
import { plan } from "../plan.ts";

const noMember = { members: [], membership: "unknown", size: 3 } as const;
const stopped = { pods: [stoppedPod("a")], claims: [formerClaim("b")] };
const restoring = { uid: RESTORE_UID, hasFailed: false, lacksSecret: false };
const attempt = { incarnation: 2, memberId: undefined, clusterId: undefined, restoring } as const;

/** The initial member is declared, as the n-th try. */
function trying(incarnation = 2): EtcdClusterStatus {
  return inRestore("Restoring", { incarnation, memberIntents: [{ name: "new", incarnation, purpose: "Seed" }] });
}

const planFor = (given: ObservationGiven) =>
  plan(anObservation({ ...noMember, metadata: asked(), ...given, seen: { setAside: stopped, ...given.seen } }));
const seed = (more: Partial<MemberGiven> = {}): MemberGiven => ({
  ...unknown("new", { listed: false }),
  ...more,
  pod: more.pod === null ? null : { ...attempt, ...more.pod },
});

describe("the first member of a restored cluster", () => {
  test.each(["Sequential", "Parallel"])("is declared alone, whatever the bootstrap is: %s", (mode) => {
    const action = planFor({
      status: inRestore("Fencing", { phase: "Running", currentVersion: "3.5.30" }),
      spec: { bootstrap: { mode } },
    });
    assert.ok(action.kind === "declare-seeds");
    assert.deepEqual([action.names, action.incarnation], [["new-1"], 2]);
  });

  test("is made from the snapshot, with a token that was never used", () => {
    const action = planFor({ status: trying() });
    assert.ok(action.kind === "start-members");
    const [member] = action.members;
    assert.deepEqual(member, {
      name: "new",
      version: "3.5.30",
      incarnation: 2,
      start: { kind: "restored", token: "uid-1-2", revisionBump: 1_000, restoreUid: RESTORE_UID },
    });
  });

  test("gets its Secret in another try, when the operator died between the two", () => {
    const action = planFor({
      status: trying(),
      members: [seed({ pod: { stage: "pending", restoring: { ...restoring, lacksSecret: true } } })],
    });
    assert.equal(action.kind, "start-members");
  });

  test("is waited for while the snapshot is being sent, and its problem is reported", () => {
    const action = planFor({
      status: trying(),
      members: [seed({ pod: { stage: "pending", trouble: "the image cannot be pulled" } })],
    });
    assert.deepEqual([action.kind, action.reason], ["hold", "Restoring"]);
    assert.match(action.message, /new to restore the snapshot and respond; new: the image cannot be pulled/);
  });

  test("is recorded when it answers, and then joined by the others", () => {
    const answering = healthy("new", {
      isLeader: true,
      pod: { ...attempt, answer: { health: "healthy", status: statusOf("c2") } },
    });
    const action = planFor({ status: trying(), members: [answering], membership: "confirmed" });
    assert.ok(action.kind === "record-cluster");
    assert.deepEqual([action.clusterId, action.incarnation], ["c2", 2]);
    const recorded = { ...trying(), ...inRestore("Joining"), clusterID: "c2", incarnation: 2 };
    assert.equal(planFor({ status: recorded, members: [answering], membership: "confirmed" }).kind, "identify-members");
  });

  test("is not taken for one of the cluster before", () => {
    const answering = healthy("new", { isLeader: true, pod: attempt });
    const action = planFor({ status: trying(), members: [answering], membership: "confirmed" });
    assert.deepEqual([action.kind, action.reason], ["hold", "ClusterIdsDiffer"]);
    assert.match(action.message, new RegExp(`previous etcd cluster ${CLUSTER_ID} responds`));
  });
});

describe("another first member replaces it", () => {
  const claim = { incarnation: 2, memberId: undefined, clusterId: undefined };

  test.each<[string, MemberGiven]>([
    [
      "when the tool failed: it does not go on with what it left",
      seed({ pod: { stage: "pending", restoring: { ...restoring, hasFailed: true } } }),
    ],
    ["when the guard found nothing restored", seed({ pod: { stage: "pending", refusal: "data-gone" } })],
    ["when its pod ended", seed({ pod: { stage: "ended" } })],
    ["when its pod is gone, and left a volume on which anything may lie", seed({ pod: null, claim })],
    [
      "when it waits, and was made from a spec that has been changed",
      seed({ pod: { stage: "pending", specHash: "v1:other" } }),
    ],
  ])("%s", (_, member) => {
    const action = planFor({ status: trying(), members: [member], claims: false });
    assert.ok(action.kind === "forget-intents", action.message);
    assert.deepEqual(action.names, ["new"]);
  });

  test("with the next incarnation, after what was made for it is gone", () => {
    const given = { status: inRestore("Restoring", { incarnation: 2 }) };
    assert.equal(planFor({ ...given, members: [seed({ claim })] }).kind, "delete-pods");
    assert.equal(planFor({ ...given, members: [seed({ pod: null, claim })] }).kind, "delete-claims");
    const action = planFor(given);
    assert.ok(action.kind === "declare-seeds");
    assert.equal(action.incarnation, 3);
  });

  test("not a fourth time for a snapshot that cannot be restored: the user has to cancel it", () => {
    const failing = seed({
      pod: { stage: "pending", incarnation: 4, trouble: "exit code 1", restoring: { ...restoring, hasFailed: true } },
    });
    const action = planFor({ status: trying(4), members: [failing] });
    assert.equal(action.kind, "hold");
    assert.match(action.message, /exit code 1/);
  });
});

describe("a cluster that should have data", () => {
  test("is not bootstrapped without any when its restore was cancelled", () => {
    const { restore } = inRestore("RolledBack");
    assert.ok(restore);
    const { previousClusterID: _, previousIncarnation: __, ...nothingBefore } = restore;
    const action = planFor({ status: { restore: nothingBefore }, seen: {} });
    assert.deepEqual([action.kind, action.reason], ["hold", "NothingRestored"]);
    assert.match(action.message, /create another EtcdRestore/);
  });

  test("is not bootstrapped without any when the request cannot be read", () => {
    const metadata = { annotations: { [RESTORE_ANNOTATION]: "{}" } };
    assert.equal(planFor({ status: {}, metadata }).reason, "RestoreRequestUnreadable");
  });

  test("is bootstrapped as usual when its first bootstrap was interrupted by a restore that was cancelled", () => {
    const { restore } = inRestore("RolledBack");
    assert.ok(restore);
    const { previousClusterID: _, ...before } = restore;
    const action = planFor({ status: { incarnation: 1, restore: { ...before, incarnation: 3 } } });
    assert.ok(action.kind === "declare-seeds");
    assert.equal(action.incarnation, 4);
  });
});

function statusOf(clusterId: string) {
  const numbers = { revision: 100, databaseSizeBytes: 1, isLearner: false };
  return { clusterId, memberId: "new", version: "3.5.30", leaderId: "new", ...numbers };
}
