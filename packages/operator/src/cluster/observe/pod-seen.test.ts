import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { A_CLAIM, anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import type { ContainerState, ContainerStatus, Pod, PodStatus } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import { RESTORE_UID_ANNOTATION } from "../../api/restore-request.ts";
import { exitCodeOf } from "../guard/refusal.ts";
import type { PodSeen } from "../model/observation.ts";
import { ANNOTATIONS, VOTER_CONDITION } from "../objects/annotations.ts";
import { specHash } from "../objects/pod/spec-hash.ts";
import { podSeen } from "./pod-seen.ts";

const CREATED = "2030-01-01T00:00:00Z";
const LATER = "2030-01-01T00:10:00Z";
const ANSWER = { health: "unknown", why: "not asked" } as const;

describe("a pod as the rules see it", () => {
  test("is read from what the operator makes, and what the kubelet says", () => {
    const cluster = anEtcdCluster();
    const status: PodStatus = {
      phase: "Running",
      podIP: "10.0.0.7",
      conditions: [
        { type: "Ready", status: "True", lastTransitionTime: LATER },
        { type: VOTER_CONDITION, status: "True" },
      ],
    };
    const { flags, metadata, ...seen } = podSeen(aPod({ status }), ANSWER);
    assert.ok(flags.includes("--data-dir=/var/etcd/data"));
    assert.deepEqual(metadata.applied, { labels: [], annotations: [] });
    assert.deepEqual(seen, {
      name: "example-a",
      uid: "uid-of-example-a",
      resourceVersion: "5",
      createdAtMs: Date.parse(CREATED),
      stage: "running",
      isTerminating: false,
      deletedAtMs: undefined,
      isScheduled: false,
      isEtcdRunning: false,
      awaitsNewImage: false,
      ip: "10.0.0.7",
      isReady: true,
      notReadySinceMs: undefined,
      gate: "open",
      version: "3.5.30",
      specHash: specHash(cluster.spec),
      image: "quay.io/coreos/etcd:v3.5.30",
      askedImage: "quay.io/coreos/etcd:v3.5.30",
      asksForLivez: true,
      incarnation: 2,
      memberId: "8e9e05c52164694d",
      clusterId: "c1",
      usesClaim: false,
      refusal: undefined,
      trouble: undefined,
      answer: ANSWER,
    });
  });

  test("of coreos/etcd-operator has neither gate nor notes, except for the version", () => {
    const pod = aPod({ annotations: { [ANNOTATIONS.version]: "3.2.13" } });
    delete pod.spec?.readinessGates;
    const { gate, version, specHash: hash, incarnation, memberId, clusterId } = podSeen(pod, ANSWER);
    assert.deepEqual([gate, version], ["absent", "3.2.13"]);
    assert.deepEqual([hash, incarnation, memberId, clusterId], [undefined, undefined, undefined, undefined]);
  });

  describe("that was edited to say another version", () => {
    const seenWith = (notes: Record<string, string | undefined>, image?: string) => {
      const pod = aPod({});
      const [etcd] = pod.spec?.containers ?? [];
      if (etcd && image !== undefined) etcd.image = image;
      const annotations = { ...pod.metadata.annotations, ...notes } as Record<string, string>;
      const { version, isVersionMisnoted } = podSeen({ ...pod, metadata: { ...pod.metadata, annotations } }, ANSWER);
      return [version, isVersionMisnoted];
    };
    const asked = "quay.io/coreos/etcd:v3.5.30";

    test.each(["3.5.99", "by-hand", undefined])("is of the version that its image was asked for, not %s", (noted) => {
      assert.deepEqual(seenWith({ [ANNOTATIONS.version]: noted }), ["3.5.30", true]);
      const byAdmission = { [ANNOTATIONS.changedByAdmission]: JSON.stringify({ image: asked }) };
      assert.deepEqual(seenWith({ [ANNOTATIONS.version]: noted, ...byAdmission }, "mirror/etcd@sha256:1"), [
        "3.5.30",
        true,
      ]);
    });

    test.each([
      ["the note on the image was edited", { [ANNOTATIONS.askedImage]: "quay.io/coreos/etcd:v3.5.99" }, undefined],
      ["the image was edited", {}, "quay.io/coreos/etcd:v3.5.99"],
      ["the image has no version", { [ANNOTATIONS.askedImage]: "etcd@sha256:1" }, "etcd@sha256:1"],
      ["the image is of another build", { [ANNOTATIONS.askedImage]: `${asked}-amd64` }, `${asked}-amd64`],
    ])("is as it says where %s", (_, notes, image) => {
      assert.deepEqual(seenWith(notes, image), ["3.5.30", undefined]);
    });
  });

  test("has no incarnation when it was overwritten", () => {
    for (const scribble of ["", "x", "-1", "1.5", "9".repeat(30)]) {
      const pod = aPod({ annotations: { [ANNOTATIONS.incarnation]: scribble } });
      assert.equal(podSeen(pod, ANSWER).incarnation, undefined, scribble);
    }
  });

  test("was marked not ready because of its node where its kubelet still reports its containers as ready", () => {
    const conditionsAre = (...conditions: NonNullable<PodStatus["conditions"]>) =>
      podSeen(aPod({ status: { phase: "Running", conditions } }), ANSWER).isMarkedNotReady;
    const notReady = { type: "Ready", status: "False", lastTransitionTime: LATER };
    assert.equal(conditionsAre(notReady, { type: "ContainersReady", status: "True" }), true);
    assert.equal(conditionsAre(notReady, { type: "ContainersReady", status: "False" }), undefined);
    const ofKubelet = { ...notReady, reason: "ReadinessGatesNotReady" };
    assert.equal(conditionsAre(ofKubelet, { type: "ContainersReady", status: "True" }), undefined);
  });

  test("was evicted because of its node where Kubernetes reports that, and not where an administrator drains it", () => {
    const isEvictedBy = (reason: string) => {
      const conditions = [{ type: "DisruptionTarget", status: "True", reason }];
      return podSeen(aPod({ status: { phase: "Running", conditions } }), ANSWER).isEvictedFromNode;
    };
    assert.equal(isEvictedBy("DeletionByTaintManager"), true);
    assert.equal(isEvictedBy("DeletionByPodGC"), true);
    assert.equal(isEvictedBy("EvictionByEvictionAPI"), undefined);
  });

  test("has its etcd started when its first container did; after a restart that is unknown", () => {
    const startedWith = (restartCount: number) => {
      const state = { running: { startedAt: LATER } };
      const etcd = { name: "etcd", restartCount, state, image: "", imageID: "", ready: false };
      return podSeen(aPod({ status: { phase: "Running", containerStatuses: [etcd] } }), ANSWER).etcdStartedAtMs;
    };
    assert.equal(startedWith(0), Date.parse(LATER));
    assert.equal(startedWith(1), undefined);
  });

  test("uses a claim when its data volume is one", () => {
    assert.equal(podSeen(aPod({ claims: true }), ANSWER).usesClaim, true);
  });

  test("is scheduled when it has a node, and winds up when it has a deletion time", () => {
    const pod = aPod({});
    Object.assign(pod.spec ?? {}, { nodeName: "node-1" });
    const metadata = { ...pod.metadata, deletionTimestamp: LATER };
    const { isScheduled, isTerminating } = podSeen({ ...pod, metadata }, ANSWER);
    assert.deepEqual([isScheduled, isTerminating], [true, true]);
  });
});

describe("the stage of a pod", () => {
  const cases: [phase: string | undefined, stage: PodSeen["stage"]][] = [
    [undefined, "pending"],
    ["Pending", "pending"],
    ["Running", "running"],
    ["Unknown", "running"],
    ["Succeeded", "ended"],
    ["Failed", "ended"],
  ];
  for (const [phase, stage] of cases) {
    test(`is "${stage}" in the phase ${phase}`, () => {
      assert.equal(podSeen(aPod({ status: phase ? { phase } : {} }), ANSWER).stage, stage);
    });
  }
});

test("the deletion of a pod was requested some time before its deletionTimestamp", () => {
  const pod = aPod({});
  const metadata = { ...pod.metadata, deletionTimestamp: "2030-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 };
  assert.equal(podSeen({ ...pod, metadata }, ANSWER).deletedAtMs, Date.parse("2030-01-01T00:00:00Z"));
});

test("a hash that another release made otherwise means nothing", () => {
  const hashOf = (hash: string) => podSeen(aPod({ annotations: { [ANNOTATIONS.specHash]: hash } }), ANSWER).specHash;
  assert.deepEqual([hashOf("v2:1234"), hashOf("v3:1234"), hashOf("1234")], ["v2:1234", undefined, undefined]);
});

test("since when no node was found for a pod is when the scheduler first said so", () => {
  const since = (status: string) => {
    const scheduled = { type: "PodScheduled", status, reason: "Unschedulable", lastTransitionTime: LATER };
    return podSeen(aPod({ status: { phase: "Pending", conditions: [scheduled] } }), ANSWER).unschedulableSinceMs;
  };
  assert.deepEqual([since("False"), since("True")], [Date.parse(LATER), undefined]);
});

test.each([
  ["0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules.", true],
  ["0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports.", true],
  ["0/2 nodes are available: 1 Insufficient cpu, 1 Too many pods.", true],
  [`0/9 nodes are available: ${"1 node(s) had untolerated taint {x}, ".repeat(20)}1 Insufficient memory.`, true],
  ["0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector.", undefined],
  ["0/3 nodes are available: 3 node(s) had volume node affinity conflict.", undefined],
])("whether another pod may hold its place is in the scheduler's words: %s", (message, lacksRoom) => {
  const scheduled = {
    type: "PodScheduled",
    status: "False",
    reason: "Unschedulable",
    lastTransitionTime: LATER,
    message,
  };
  const seen = podSeen(aPod({ status: { phase: "Pending", conditions: [scheduled] } }), ANSWER);
  assert.equal(seen.lacksRoom, lacksRoom);
});

describe("a pod that restores a snapshot", () => {
  const mine = { [RESTORE_UID_ANNOTATION]: "r1" };
  const toolIs = (state: ContainerState, lastState: ContainerState = {}): PodStatus => ({
    phase: "Pending",
    initContainerStatuses: [
      { name: "restore", image: "", imageID: "", ready: false, restartCount: 0, state, lastState },
    ],
  });
  const failed = { terminated: { exitCode: 1 } };

  test.each<[string, PodStatus, boolean]>([
    ["has not failed before the tool ran", { phase: "Pending" }, false],
    ["has not failed while the tool runs", toolIs({ running: {} }), false],
    ["has not failed when the tool is done", toolIs({ terminated: { exitCode: 0 } }), false],
    ["has failed when the tool has", toolIs(failed), true],
    ["has failed also while the kubelet waits to try it again", toolIs({ waiting: {} }, failed), true],
  ])("%s", (_, status, hasFailed) => {
    const { restoring } = podSeen(aPod({ status, annotations: mine }), ANSWER);
    assert.deepEqual(restoring, { uid: "r1", hasFailed, lacksSecret: false });
  });

  test("lacks its Secret where it was not created", () => {
    assert.equal(podSeen(aPod({ annotations: mine }), ANSWER, true).restoring?.lacksSecret, true);
    assert.equal(podSeen(aPod({}), ANSWER, true).restoring, undefined);
  });
});

test("a pod that was stopped for a restore knows its image", () => {
  const annotations = { [ANNOTATIONS.fenced]: "quay.io/coreos/etcd:v3.5.30 containerd://1" };
  assert.equal(podSeen(aPod({ annotations }), ANSWER).fencedImage, "quay.io/coreos/etcd:v3.5.30");
});

describe("readiness", () => {
  const cases: [status: string | undefined, isReady: boolean, since: number | undefined][] = [
    ["True", true, undefined],
    ["False", false, Date.parse(LATER)],
    ["Unknown", false, Date.parse(LATER)],
    [undefined, false, Date.parse(CREATED)],
  ];
  for (const [status, isReady, since] of cases) {
    test(`${status}: ${isReady ? "ready" : "not ready"} since ${since}`, () => {
      const conditions = status ? [{ type: "Ready", status, lastTransitionTime: LATER }] : [];
      const seen = podSeen(aPod({ status: { conditions } }), ANSWER);
      assert.deepEqual([seen.isReady, seen.notReadySinceMs], [isReady, since]);
    });
  }

  test("the gate is closed until the condition is true", () => {
    for (const status of [undefined, "False", "Unknown"]) {
      const conditions = status ? [{ type: VOTER_CONDITION, status }] : [];
      assert.equal(podSeen(aPod({ status: { conditions } }), ANSWER).gate, "closed");
    }
  });
});

describe("a refusal of the guard", () => {
  const refused: ContainerState = { terminated: { exitCode: exitCodeOf("data-gone") } };
  const passed: ContainerState = { terminated: { exitCode: 0 } };
  const cases: [what: string, state: ContainerState, lastState: ContainerState, refusal: PodSeen["refusal"]][] = [
    ["counts when it has just ended with one", refused, {}, "data-gone"],
    ["counts while the kubelet waits to try again", { waiting: { reason: "CrashLoopBackOff" } }, refused, "data-gone"],
    ["is forgotten once the guard passed", passed, refused, undefined],
    ["is in the balance while the guard runs again", { running: {} }, refused, undefined],
    ["is no other exit code", { terminated: { exitCode: 1 } }, {}, undefined],
    [
      "is no exit code of Node itself, as for an await that never settles",
      { terminated: { exitCode: 13 } },
      {},
      undefined,
    ],
    ["follows the newest exit code", { terminated: { exitCode: 137 } }, refused, undefined],
    ["needs a verdict", { waiting: { reason: "PodInitializing" } }, {}, undefined],
  ];
  for (const [what, state, lastState, refusal] of cases) {
    test(what, () => {
      const pod = aPod({ status: { initContainerStatuses: [aContainer("guard", state, lastState)] } });
      assert.equal(podSeen(pod, ANSWER).refusal, refusal);
    });
  }

  test("is read from the guard alone", () => {
    const pod = aPod({ status: { initContainerStatuses: [aContainer("foreign", refused, {})] } });
    assert.equal(podSeen(pod, ANSWER).refusal, undefined);
  });
});

interface PodGiven {
  readonly status?: PodStatus;
  readonly annotations?: Record<string, string>;
  readonly claims?: boolean;
}

function aPod({ status = {}, annotations, claims = false }: PodGiven): Stored<Pod> {
  return aMemberPod(anEtcdCluster(claims ? { pod: { persistentVolumeClaimSpec: A_CLAIM } } : {}), {
    member: "example-a",
    status,
    start: { kind: "returning", clusterId: "c1", memberId: "8e9e05c52164694d" },
    ...(annotations && { metadata: { annotations } }),
  });
}

function aContainer(name: string, state: ContainerState, lastState: ContainerState): ContainerStatus {
  return { name, state, lastState, image: "", imageID: "", ready: false, restartCount: 0 };
}
