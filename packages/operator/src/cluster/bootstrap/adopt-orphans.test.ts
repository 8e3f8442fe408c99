import assert from "node:assert/strict";
import { asked, inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import {
  anObservation,
  CLUSTER_ID,
  gone,
  healthy,
  leader,
  type ObservationGiven,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Observation, PodSeen } from "../model/observation.ts";
import { plan } from "../plan.ts";
import { statusAfter } from "../status.ts";

const three = [leader("a"), healthy("b"), healthy("c")];

/** The same members, in pods that have lost their owner. */
function orphaned(given: ObservationGiven, change: (pod: PodSeen) => PodSeen = (pod) => pod): Observation {
  const seen = anObservation({ size: 3, members: three, status: {}, ...given });
  return { ...seen, pods: [], orphans: seen.pods.map(change) };
}

const change = (name: string, more: Partial<PodSeen>) => (pod: PodSeen) =>
  pod.name === name ? { ...pod, ...more } : pod;

describe("an EtcdCluster that finds members of its name that run without an owner", () => {
  test("continues their cluster when it is healthy", () => {
    const action = plan(orphaned({}));
    assert.equal(action.kind, "adopt-orphans");
    assert.deepEqual([action.clusterId, action.pods.map(({ name }) => name)], [CLUSTER_ID, ["a", "b", "c"]]);
  });

  test("does so with a majority of them", () => {
    assert.equal(plan(orphaned({ members: [leader("a"), healthy("b"), unknown("c")] })).kind, "adopt-orphans");
    assert.equal(plan(orphaned({ members: [leader("a"), healthy("b"), gone("c")] })).kind, "adopt-orphans");
  });

  test("records the cluster before anything else, so that nothing can be bootstrapped any more", () => {
    const seen = orphaned({});
    const status = statusAfter(seen, plan(seen), { kind: "done" });
    assert.deepEqual([status.clusterID, status.incarnation], [CLUSTER_ID, 1]);
  });

  const answering = (clusterId: string, memberId = "b") => ({
    health: "healthy" as const,
    status: {
      clusterId,
      memberId,
      version: "3.5.30",
      leaderId: "a",
      isLearner: false,
      revision: 1,
      databaseSizeBytes: 1,
    },
  });
  const unfit: readonly (readonly [title: string, seen: Observation, why: RegExp])[] = [
    ["no majority answers", orphaned({ membership: "unconfirmed" }), /no majority of them responds/],
    [
      "a majority answers that is none of them",
      orphaned({}, (pod) => ({ ...pod, answer: { health: "unknown" } })),
      /no majority/,
    ],
    [
      "they say that they are of two clusters",
      orphaned({}, change("b", { clusterId: "c2" })),
      /different etcd clusters \(c1, c2\)/,
    ],
    ["they answer as two clusters", orphaned({}, change("b", { answer: answering("c2") })), /different etcd clusters/],
    [
      "one answers as another member",
      orphaned({}, change("b", { answer: answering(CLUSTER_ID, "x") })),
      /another member .* responds from pod b/,
    ],
    ["one is being deleted", orphaned({}, change("b", { isTerminating: true })), /being deleted/],
    ["a restore is under way", orphaned({ status: inRestore("Restoring"), metadata: asked() }), /a restore/],
    ["volumes are to be ignored", orphaned({ spec: { bootstrap: { onExistingVolumes: "Ignore" } } }), /'Ignore'/],
  ];

  test.each(unfit)("bootstraps nothing and names them when %s", (_, seen, why) => {
    const action = plan(seen);
    assert.deepEqual([action.kind, action.reason], ["hold", "OrphanedPods"]);
    assert.match(action.message, /have no owner \(a, b, c\)/);
    assert.match(action.message, why);
    const { conditions = [] } = statusAfter(seen, action, { kind: "done" });
    const degraded = conditions.find(({ type }) => type === "Degraded");
    assert.deepEqual([degraded?.status, degraded?.reason], ["True", "OrphanedPods"]);
  });
});

describe("an EtcdCluster on record, members of which run without an owner", () => {
  const status: EtcdClusterStatus = { clusterID: CLUSTER_ID, incarnation: 1, phase: "Running" };

  test("takes them over, also one that does not answer but is in the list", () => {
    const seen = anObservation({ members: [leader("a"), healthy("b"), unknown("c")], status });
    const action = plan({ ...seen, pods: seen.pods.slice(0, 1), orphans: seen.pods.slice(1) });
    assert.equal(action.kind, "take-over");
    assert.deepEqual([action.claims, action.pods.map(({ name }) => name)], [[], ["b", "c"]]);
  });

  test("takes over none that is not in the list, or from which another member answers", () => {
    const seen = anObservation({ members: three, status });
    const duplicate = seen.pods[2];
    assert.ok(duplicate);
    const { status: answered } = duplicate.answer;
    assert.ok(answered);
    const others: readonly PodSeen[] = [
      { ...duplicate, name: "x" },
      { ...duplicate, name: "y", memberId: undefined, answer: { health: "unknown" } },
      { ...duplicate, answer: { health: "unknown", otherMemberId: "z" } },
      { ...duplicate, answer: { health: "healthy", status: { ...answered, memberId: "z" } } },
    ];
    for (const orphan of others) {
      const action = plan({ ...seen, orphans: [orphan] });
      assert.notEqual(action.kind, "take-over");
      const { conditions = [] } = statusAfter({ ...seen, orphans: [orphan] }, action, { kind: "done" });
      assert.ok(conditions.some(({ reason, message }) => reason === "ForeignPods" && message?.includes(orphan.name)));
    }
  });
});
