import assert from "node:assert/strict";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { PodSeen } from "../model/observation.ts";
import { specHash } from "../objects/pod/spec-hash.ts";
import { plan } from "../plan.ts";

const parallel = { bootstrap: { mode: "Parallel" } };
const seeds = (...names: string[]): EtcdClusterStatus => ({
  incarnation: 1,
  memberIntents: names.map((name) => ({ name, incarnation: 1, purpose: "Seed" })),
});
const founding = (given: ObservationGiven) => plan(anObservation({ size: 3, membership: "unknown", ...given }));
const neverIdentified = { memberId: undefined, clusterId: undefined };

describe("a new cluster", () => {
  test("is declared before anything is made: one initial member", () => {
    const action = founding({ members: [], status: {} });
    assert.equal(action.kind, "declare-seeds");
    assert.deepEqual([action.names, action.incarnation], [["new-1"], 1]);
  });

  test("is declared with all its initial members when they come in parallel", () => {
    const action = founding({ members: [], status: {}, spec: parallel });
    assert.equal(action.kind, "declare-seeds");
    assert.deepEqual(action.names, ["new-1", "new-2", "new-3"]);
  });

  test("gets a new incarnation when an earlier attempt was abandoned", () => {
    const action = founding({ members: [], status: { incarnation: 4 } });
    assert.equal(action.kind, "declare-seeds");
    assert.equal(action.incarnation, 5);
  });

  test("starts the initial members that were declared, with the token of their incarnation", () => {
    const action = founding({ members: [], status: seeds("a") });
    assert.equal(action.kind, "start-members");
    assert.deepEqual(
      action.members.map(({ name, start }) => [name, start]),
      [["a", { kind: "seed", token: "uid-1-1", peers: [] }]],
    );
  });

  test("starts what an operator that died left out, and gives each initial member the list of the others", () => {
    const members = [unknown("a", { listed: false, pod: neverIdentified })];
    const action = founding({ members, status: seeds("a", "b"), spec: parallel });
    assert.equal(action.kind, "start-members");
    const [b, ...others] = action.members;
    assert.deepEqual(others, []);
    assert.ok(b?.name === "b" && b.start.kind === "seed");
    assert.deepEqual(b.start.peers, [{ name: "a", peerUrl: "http://a.example.prod.svc:2380" }]);
  });

  test("waits until an initial member answers, and says what keeps it", () => {
    const pod = { ...neverIdentified, trouble: "ErrImagePull: no such image" };
    const action = founding({ members: [unknown("a", { listed: false, pod })], status: seeds("a") });
    assert.equal(action.kind, "hold");
    assert.equal(action.message, "Waiting for a to respond; a: ErrImagePull: no such image");
  });

  test("keeps an initial member that has not started, however the spec spells its version and repository", () => {
    for (const spec of [
      { version: "v3.5.16" },
      { version: "v3.5.16-amd64" },
      { version: "3.5.16", repository: "registry.local/etcd/" },
    ]) {
      const build = spec.version.endsWith("-amd64") ? "-amd64" : "";
      const image = `${spec.repository ? "registry.local/etcd" : "quay.io/coreos/etcd"}:v3.5.16${build}`;
      const pod: Partial<PodSeen> = { ...neverIdentified, stage: "pending", version: "3.5.16", image };
      const action = founding({ members: [unknown("a", { listed: false, pod })], status: seeds("a"), spec });
      assert.deepEqual([action.kind, action.reason], ["hold", "Bootstrapping"]);
    }
  });

  test("reports why an initial member that runs cannot be asked, such as for lack of a certificate", () => {
    const answer = { health: "unknown", why: "Secret 'operator' is missing" } as const;
    const members = [unknown("a", { listed: false, pod: { ...neverIdentified, answer } })];
    assert.match(founding({ members, status: seeds("a") }).message, /a: Secret 'operator' is missing/);
  });

  test("is reconciled again soon while an initial member starts", () => {
    const pod = { ...neverIdentified, createdAtMs: anObservation().nowMs - 2_000 };
    const action = founding({ members: [unknown("a", { listed: false, pod })], status: seeds("a") });
    assert.deepEqual(action.kind === "hold" && action.recheckAfterMs, 100);
  });

  test("is recorded, with its id, before any member joins", () => {
    const action = plan(
      anObservation({ size: 3, members: [leader("a", { pod: neverIdentified })], status: seeds("a") }),
    );
    assert.equal(action.kind, "record-cluster");
    assert.deepEqual([action.clusterId, action.incarnation], [CLUSTER_ID, 1]);
  });
});

describe("a cluster is not bootstrapped", () => {
  test("while pods of a deleted cluster of the same name are still there", () => {
    const strangers = { leftoverPods: ["old-1"], foreignPods: [] };
    const action = founding({ members: [], status: {}, seen: { strangers } });
    assert.deepEqual([action.kind, action.reason], ["hold", "PreviousPodsRemain"]);
  });

  test("while pods of ours are there that do not answer: a missing id alone justifies nothing", () => {
    const pod = { incarnation: undefined, specHash: undefined, memberId: undefined };
    const action = founding({ members: [unknown("a", { pod })], status: {} });
    assert.deepEqual([action.kind, action.reason], ["hold", "WaitingForAdoption"]);
  });

  test("on top of volumes of unknown members", () => {
    const claim = { incarnation: undefined, memberId: undefined, clusterId: undefined };
    const action = founding({ members: [unknown("a", { pod: null, claim })], status: {} });
    assert.deepEqual([action.kind, action.reason], ["hold", "VolumesWithoutIdentity"]);
  });

  test("when volumes show which cluster they belong to: it comes back from them, also without its status", () => {
    const members = [unknown("a", { pod: null }), unknown("b", { pod: null })];
    const action = founding({ members, claims: true, status: {} });
    assert.equal(action.kind, "record-cluster");
    assert.equal(action.clusterId, CLUSTER_ID);
  });

  test("when the volumes are of different clusters", () => {
    const members = [
      unknown("a", { pod: null, claim: { clusterId: "c1" } }),
      unknown("b", { pod: null, claim: { clusterId: "c2" } }),
    ];
    assert.equal(founding({ members, claims: true, status: {} }).reason, "ClusterIdsDiffer");
  });
});

describe("a cluster of coreos/etcd-operator that lost every pod", () => {
  test("is not bootstrapped again under its name: that would hide the loss", () => {
    for (const status of [{ phase: "Running" as const }, { phase: "Failed" as const, currentVersion: "3.2.13" }]) {
      const action = founding({ members: [], status });
      assert.deepEqual([action.kind, action.reason], ["hold", "MembersGone"]);
    }
  });
});

describe("an attempt that cannot succeed", () => {
  const refused = unknown("a", { listed: false, pod: { ...neverIdentified, refusal: "not-empty" } });

  test("is abandoned for all members when the guard refuses an initial member", () => {
    const action = founding({
      members: [refused, unknown("b", { listed: false })],
      status: seeds("a", "b"),
      spec: parallel,
    });
    assert.equal(action.kind, "forget-intents");
    assert.deepEqual(action.names, ["a", "b"]);
  });

  test("is abandoned when the spec was corrected in the meantime", () => {
    const pod = { ...neverIdentified, image: "quay.io/coreos/etcd:v3.5.99", trouble: "ErrImagePull" };
    const action = founding({ members: [unknown("a", { listed: false, pod })], status: seeds("a") });
    assert.equal(action.kind, "forget-intents");
  });

  test("is not what a cluster looks like that lost its status: where one is identified, nothing is cleared away", () => {
    const members = [unknown("a", { pod: { memberId: "a" } }), unknown("b", { pod: neverIdentified })];
    assert.equal(founding({ members, status: {} }).kind, "hold");
  });

  test("is not what an initial member is that runs and does not answer for a moment, whatever the spec says now", () => {
    const pod = { ...neverIdentified, image: "quay.io/coreos/etcd:v3.5.99" };
    assert.equal(founding({ members: [unknown("a", { listed: false, pod })], status: seeds("a") }).kind, "hold");
  });

  test("leaves pods behind, which go first, and claims, which go when the pods are gone", () => {
    const claim = { memberId: undefined, clusterId: undefined };
    const withPod = founding({ members: [{ ...refused, claim }], status: { incarnation: 1 } });
    assert.equal(withPod.kind, "delete-pods");
    const without = founding({ members: [{ ...refused, claim, pod: null }], status: { incarnation: 1 } });
    assert.equal(without.kind, "delete-claims");
  });
});

describe("a cluster that coreos/etcd-operator left", () => {
  const old = {
    incarnation: undefined,
    specHash: undefined,
    memberId: undefined,
    clusterId: undefined,
    gate: "absent",
  } as const;
  const members = [leader("a", { pod: old }), healthy("b", { pod: old }), healthy("c", { pod: old })];

  test("is taken over by the id that its members answer with", () => {
    const action = plan(anObservation({ members, status: { phase: "Running" } }));
    assert.equal(action.kind, "record-cluster");
    assert.equal(action.clusterId, CLUSTER_ID);
  });

  test("then has its pods identified, and is left as it is", () => {
    const recorded = { clusterID: CLUSTER_ID, incarnation: 1 };
    const action = plan(anObservation({ members, status: recorded }));
    assert.equal(action.kind, "identify-members");
    const written = { specHash: specHash(anObservation().cluster.spec) };
    const known = members.map((member) => ({
      ...member,
      pod: { ...old, ...written, memberId: member.name, clusterId: CLUSTER_ID },
    }));
    assert.equal(plan(anObservation({ members: known, status: recorded })).kind, "none");
  });

  test("is adopted without a majority too: no other can be meant", () => {
    const [a, b, c] = members;
    assert.ok(a && b && c);
    const one = [
      { ...a, health: "unhealthy" as const },
      { ...b, pod: null },
      { ...c, pod: null },
    ];
    assert.equal(plan(anObservation({ members: one, membership: "unconfirmed", status: {} })).kind, "record-cluster");
  });

  test("is not taken over while its members disagree about which cluster they are", () => {
    const seen = anObservation({ members, status: {} });
    const [a, ...others] = seen.pods;
    assert.ok(a?.answer.status);
    const other = { ...a, answer: { ...a.answer, status: { ...a.answer.status, clusterId: "c2" } } };
    assert.equal(plan({ ...seen, pods: [other, ...others] }).reason, "ClusterIdsDiffer");
  });
});
