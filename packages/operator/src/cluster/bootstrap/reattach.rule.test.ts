import assert from "node:assert/strict";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { anObservation, CLUSTER_ID, type ObservationGiven } from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { ClaimSeen } from "../model/observation.ts";
import { plan } from "../plan.ts";

const urlOf = (name: string) => `http://${name}.example.prod.svc:2380`;
const votersOf = (...names: string[]) => Object.fromEntries(names.map((name) => [name, urlOf(name)]));
const recordOf = (index: number, ...names: string[]) => ({
  term: 1,
  index,
  version: "3.5.16",
  voters: votersOf(...names),
});
const OF_THREE = recordOf(1, "a", "b", "c");

/** The claim of a member of a deleted EtcdCluster. */
function left(name: string, more: Partial<ClaimSeen> = {}): ClaimSeen {
  return {
    name,
    uid: `uid-of-claim-${name}`,
    resourceVersion: "1",
    isTerminating: false,
    isOwned: false,
    incarnation: 3,
    memberId: name,
    clusterId: CLUSTER_ID,
    claimHash: undefined,
    returnsWith: undefined,
    storage: "1Gi",
    madeFor: "uid-0",
    record: OF_THREE,
    ...more,
  };
}

const created = (retained: readonly ClaimSeen[], { seen, ...given }: ObservationGiven = {}) =>
  plan(
    anObservation({ size: 3, members: [], membership: "unknown", status: {}, ...given, seen: { retained, ...seen } }),
  );
const policy = (onExistingVolumes: string) => ({ spec: { bootstrap: { onExistingVolumes } } });

describe("an EtcdCluster that finds the volumes of a deleted one of its name", () => {
  test("continues that cluster when they hold a majority of it", () => {
    for (const claims of [
      [left("a"), left("b"), left("c")],
      [left("a"), left("c")],
    ]) {
      const action = created(claims);
      assert.equal(action.kind, "reattach");
      assert.deepEqual([action.clusterId, action.incarnation, action.from], [CLUSTER_ID, 3, "uid-0"]);
    }
  });

  test("does so whatever size its own spec asks for", () => {
    assert.equal(created([left("a"), left("b")], { size: 1 }).kind, "reattach");
    assert.equal(created([left("a", { record: recordOf(1, "a") })], { size: 5 }).kind, "reattach");
  });

  test("goes by what was written last about the members", () => {
    const latest = recordOf(9, "a");
    assert.equal(created([left("a", { record: latest }), left("b")]).kind, "reattach");
    const grown = recordOf(9, "a", "b", "c", "d", "e");
    assert.equal(created([left("a", { record: grown }), left("b")]).reason, "NoMajorityOfVolumes");
  });

  test("waits until the pods of the deleted one are gone, which may use the volumes", () => {
    const strangers = { leftoverPods: ["a"], foreignPods: [] };
    const action = created([left("a"), left("b")], { seen: { strangers } });
    assert.deepEqual([action.kind, action.reason], ["hold", "PreviousPodsRemain"]);
  });

  const unfit: readonly (readonly [title: string, claims: readonly ClaimSeen[], reason: string])[] = [
    ["hold no majority", [left("a")], "NoMajorityOfVolumes"],
    ["hold no majority that stays", [left("a"), left("b", { isTerminating: true })], "NoMajorityOfVolumes"],
    ["have lost what they were bound to", [left("a"), left("b", { hasLostVolume: true })], "NoMajorityOfVolumes"],
    [
      "hold members alone that were about to go",
      [left("b", { isLeaving: true }), left("c", { isLeaving: true })],
      "NoMajorityOfVolumes",
    ],
    ["are of different clusters", [left("a"), left("b"), left("c", { clusterId: "c2" })], "ClusterIdsDiffer"],
    ["hold one member twice", [left("a"), left("b"), left("c", { memberId: "b" })], "VolumesAmbiguous"],
    [
      "do not say how many members there were",
      [left("a", { record: undefined }), left("b", { record: undefined })],
      "VolumesWithoutRecord",
    ],
    [
      "hold members with other addresses",
      ["a", "b", "c"].map((name) => left(name, { record: ofTls() })),
      "AddressesChanged",
    ],
  ];

  test.each(unfit)("does nothing when they %s, and says what can be done", (_, claims, reason) => {
    const action = created(claims);
    assert.deepEqual([action.kind, action.reason], ["hold", reason]);
    assert.match(action.message, /Volumes of a deleted EtcdCluster of this name exist \(/);
    assert.match(
      action.message,
      reason === "AddressesChanged" ? /restore the previous spec\.TLS/ : /EtcdRestore.*'Ignore'/,
    );
  });

  test("names a few of many, in a message of a bearable length", () => {
    const names = Array.from({ length: 7 }, (_, at) => `${"n".repeat(50)}-${at}`);
    const action = created(names.slice(0, 3).map((name) => left(name, { record: recordOf(1, ...names) })));
    assert.equal(action.reason, "NoMajorityOfVolumes");
    assert.ok(action.message.length < 420, `${action.message.length} characters`);
  });

  test("always waits when its spec says 'Hold'", () => {
    const action = created([left("a"), left("b"), left("c")], policy("Hold"));
    assert.deepEqual([action.kind, action.reason], ["hold", "VolumesRetained"]);
    assert.match(action.message, /'Reattach'.*'Ignore'/);
  });

  test("is a new one, with new names, when its spec says 'Ignore'", () => {
    const action = created([left("a"), left("b"), left("c")], policy("Ignore"));
    assert.equal(action.kind, "declare-seeds");
    assert.deepEqual(action.names, ["new-1"]);
  });

  test("leaves them alone while a restore brings its data", () => {
    assert.notEqual(created([left("a"), left("b")], { status: inRestore("Restoring") }).kind, "reattach");
  });
});

describe("an EtcdCluster that continues a deleted one", () => {
  const status: EtcdClusterStatus = { clusterID: CLUSTER_ID, incarnation: 3, reattachedFrom: "uid-0" };

  test("takes its volumes over before any member returns, also those that show late", () => {
    const claims = [left("a", { madeFor: undefined })];
    const action = created([left("b"), left("c")], { status, seen: { claims } });
    assert.equal(action.kind, "take-over");
    assert.deepEqual(
      action.claims.map(({ name }) => name),
      ["b", "c"],
    );
  });

  test("takes over none of another cluster, and none that is being deleted", () => {
    const claims = [left("a"), left("b"), left("c")].map(({ madeFor: _, ...claim }) => claim);
    const others = [left("d", { clusterId: "c2" }), left("e", { isTerminating: true })];
    assert.equal(created(others, { status, seen: { claims } }).kind, "start-members");
  });

  test("brings its members back as they were, with the version that they ran", () => {
    const claims = [left("a"), left("b"), left("c")].map(({ madeFor: _, ...claim }) => claim);
    const action = created([], { status, version: "3.6.1", seen: { claims } });
    assert.equal(action.kind, "start-members");
    assert.deepEqual(
      action.members.map(({ name, version, incarnation, start }) => [name, version, incarnation, start]),
      ["a", "b", "c"].map((name) => [name, "3.5.16", 3, { kind: "returning", clusterId: CLUSTER_ID, memberId: name }]),
    );
  });

  test("brings none back that was removed, or about to be: together they could elect a leader without the others", () => {
    const latest = recordOf(9, "a", "b", "c");
    const claims = [left("a", { record: latest }), left("b", { isLeaving: true }), left("c"), left("d"), left("e")];
    const action = created([], { status, seen: { claims } });
    assert.equal(action.kind, "start-members");
    assert.deepEqual(
      action.members.map(({ name }) => name),
      ["a", "c"],
    );
  });
});

function ofTls(): ClaimSeen["record"] {
  return { ...OF_THREE, voters: { a: "https://a.example.prod.svc:2380" } };
}
