import assert from "node:assert/strict";
import { asked, inRestore, inSavedRestore, RESTORE_UID } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type ObservationGiven,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Action } from "../model/action.ts";
import type { AnsweredStatus } from "../model/observation.ts";
import { plan } from "../plan.ts";

function begun(action: Action) {
  assert.ok(action.kind === "begin-restore", `${action.kind} (${action.message})`);
  return action.restore;
}

const running = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running" } as const;
const [upToDate] = anObservation({ members: [healthy("a")] }).pods;
const planFor = (given: ObservationGiven) => plan(anObservation({ metadata: asked(), ...given }));

describe("a restore that is asked for", () => {
  test("is written down before anything is done: what it replaces, and from which incarnation on", () => {
    const memberStatus = [
      { name: "a", id: "a", role: "Leader", health: "Healthy", version: "3.5.30" },
      { name: "b", id: "b", role: "Follower", health: "Unknown", notHealthySince: "2029-12-31T23:00:00Z" },
      { name: "c", role: "Unknown", health: "Unknown" },
    ] as const;
    const restore = begun(planFor({ status: { ...running, memberStatus: [...memberStatus] } }));
    assert.deepEqual(restore, {
      name: "from-backup",
      uid: RESTORE_UID,
      state: "Fencing",
      revision: 100,
      incarnation: 2,
      previousClusterID: CLUSTER_ID,
      previousIncarnation: 1,
      previousMembers: [memberStatus[0], { name: "b", id: "b", role: "Follower", health: "Unknown" }],
    });
  });

  test("whose data was saved records up to which revision, and the leader: that one stops last", () => {
    const saved = { revision: 90, clusterID: CLUSTER_ID };
    const status = { ...upToDate?.answer.status, memberId: "a", leaderId: "a", log: { term: 7, index: 5 } };
    const answer = { health: "healthy", status: status as AnsweredStatus } as const;
    const members = [healthy("b"), leader("a", { pod: { answer } })];
    const { restore: _, ...given } = { ...running, restore: undefined };
    const restore = begun(planFor({ status: given, members, metadata: asked({ isSaved: true, saved }) }));
    assert.deepEqual(
      [restore.saved, restore.savedRevision, restore.savedClusterID, restore.lastToStop, restore.lastTerm],
      [true, 90, CLUSTER_ID, "a", 7],
    );
    const before = begun(planFor({ status: given, members, metadata: asked({ isSaved: true }) }));
    assert.deepEqual([before.saved, before.lastToStop, before.allSaved], [true, undefined, undefined]);
  });

  test("comes before everything else, on a cluster without a majority too", () => {
    begun(planFor({ members: [gone("a"), gone("b"), healthy("c")], membership: "unconfirmed" }));
    begun(planFor({ size: 5 }));
  });

  test("on a cluster that was made with it comes before any initial member", () => {
    const restore = begun(planFor({ size: 3, members: [], membership: "unknown", status: {} }));
    assert.deepEqual(
      [restore.incarnation, restore.previousClusterID, restore.previousIncarnation],
      [1, undefined, undefined],
    );
  });

  test("interrupts a cluster that is being bootstrapped", () => {
    const memberIntents = [{ name: "a", incarnation: 1, purpose: "Seed" as const }];
    const restore = begun(
      planFor({
        members: [healthy("a", { listed: false })],
        membership: "unknown",
        status: { incarnation: 1, memberIntents },
      }),
    );
    assert.deepEqual([restore.incarnation, restore.previousIncarnation], [2, 1]);
  });

  test("stops what coreos/etcd-operator left, and what is not adopted yet", () => {
    const pod = { incarnation: undefined, memberId: undefined, clusterId: undefined };
    assert.equal(begun(planFor({ members: [healthy("a", { pod })], status: { phase: "Running" } })).incarnation, 1);
  });

  test.each([
    ["paused", { spec: { paused: true } }],
    ["being deleted", { metadata: { ...asked(), deletionTimestamp: "2030-01-01T00:00:00Z" } }],
    ["whose spec is not valid", { seen: { problems: ["size: too many"] } }],
  ])("is not begun on a cluster that is %s", (_, given) => {
    assert.equal(planFor(given).kind, "hold");
  });

  test("is not begun with certificates with which no member could be started", () => {
    const tls = { defects: ["expired"], expiring: [], ca: { peer: undefined, server: undefined } };
    assert.notEqual(planFor({ seen: { tls } }).kind, "begin-restore");
    assert.equal(
      planFor({ size: 3, members: [], membership: "unknown", status: {}, seen: { tls } }).reason,
      "CertificatesUnusable",
    );
  });
});

describe("a restore that was asked for before", () => {
  test.each(["Done", "RolledBack"] as const)("and is %s is over", (state) => {
    const status = inRestore(state, { clusterID: CLUSTER_ID, phase: "Running" });
    assert.equal(planFor({ status, metadata: asked({ isDone: state === "Done" }) }).kind, "none");
  });

  test("does not hide another one", () => {
    const status = inRestore("Done", { clusterID: CLUSTER_ID, incarnation: 2 });
    const restore = begun(planFor({ status, metadata: asked({ uid: "another" }) }));
    assert.deepEqual([restore.uid, restore.incarnation], ["another", 3]);
  });

  test("and kept claims is not forgotten with them", () => {
    const { restore: former } = inRestore("Done");
    assert.ok(former);
    const status = { clusterID: CLUSTER_ID, incarnation: 2, restore: { ...former, keepsClaimsBelow: 2 } };
    assert.equal(begun(planFor({ status, metadata: asked({ uid: "another" }) })).keepsClaimsBelow, 2);
  });

  test("and whose cluster is recorded gives way to another one: its members may be lost before it is complete", () => {
    const status = inRestore("Joining", { clusterID: "c2", incarnation: 2 });
    const restore = begun(
      planFor({ status, metadata: asked({ uid: "another" }), members: [gone("a")], membership: "unknown" }),
    );
    assert.deepEqual([restore.incarnation, restore.previousClusterID], [3, "c2"]);
  });

  test("and had stopped what was not saved keeps it, whatever was saved of the cluster in between", () => {
    const given = { clusterID: "c2", incarnation: 2 };
    const next = (status: EtcdClusterStatus) =>
      begun(planFor({ status, metadata: asked({ uid: "b", isSaved: true }) }));
    const unsaved = next(inRestore("Joining", given));
    assert.deepEqual([unsaved.saved, unsaved.incarnation, unsaved.keepsClaimsBelow], [true, 3, 2]);
    assert.equal(next(inSavedRestore("Joining", given)).keepsClaimsBelow, undefined);
    const { restore } = inSavedRestore("Joining");
    assert.ok(restore);
    const earlier = next({ ...given, incarnation: 3, restore: { ...restore, incarnation: 3, keepsClaimsBelow: 2 } });
    assert.equal(earlier.keepsClaimsBelow, 2);
  });

  test("gives way to no other that was cancelled already", () => {
    const status = inRestore("Joining", { clusterID: CLUSTER_ID, incarnation: 2 });
    const metadata = asked({ uid: "another", isCanceled: true });
    assert.notEqual(planFor({ status, metadata }).kind, "begin-restore");
  });
});

describe("a restore that was cancelled before it was seen", () => {
  test("is noted as such, and nothing is touched", () => {
    const restore = begun(planFor({ metadata: asked({ isCanceled: true }) }));
    assert.deepEqual([restore.state, restore.previousMembers], ["RolledBack", undefined]);
  });
});

describe("where the status was lost in the middle of a restore", () => {
  const mine = {
    incarnation: 4,
    memberId: undefined,
    clusterId: undefined,
    restoring: { uid: RESTORE_UID, hasFailed: false, lacksSecret: false },
  };

  test("what this restore has made is not set aside", () => {
    const members = [leader("a", { pod: { incarnation: 1 } }), healthy("b", { pod: mine })];
    assert.equal(begun(planFor({ members, membership: "unknown", status: {} })).incarnation, 4);
  });

  test("and it was done, it is not done again: what was written since would be gone", () => {
    const metadata = asked({ isDone: true });
    const action = planFor({ status: {}, metadata });
    assert.equal(action.kind, "record-cluster");
  });

  test("what another one has made is", () => {
    const pod = { ...mine, restoring: { ...mine.restoring, uid: "another" } };
    assert.equal(
      begun(planFor({ members: [healthy("b", { pod })], membership: "unknown", status: {} })).incarnation,
      5,
    );
  });
});
