import assert from "node:assert/strict";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  NOW_MS,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import { describe, test } from "vitest";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { givenHash, podHash } from "../objects/pod/pod-hash.ts";
import { podSeen } from "../observe/pod-seen.ts";
import type { ClaimSeen, PodSeen } from "./observation.ts";
import { isToBeReplaced } from "./replacement.ts";
import { situationOf } from "./situation.ts";

/** A pod as the spec says. */
function aPod(claims: boolean): PodSeen {
  const [pod] = anObservation({ claims }).pods;
  assert.ok(pod);
  return pod;
}

/** The member's pod is of a spec that it has never served with. */
const EDITED = { specHash: "v1:edited", isEtcdRunning: false, isReady: false } as const;
const PULL_FAILS = { ...EDITED, stage: "pending", trouble: "ErrImagePull" } as const;
const AS_BEFORE = { isEtcdRunning: false, isReady: false } as const;

interface Case {
  readonly pod: Partial<PodSeen>;
  readonly claims?: boolean;
  readonly claim?: Partial<ClaimSeen>;
  readonly listed?: "voter" | "learner" | "unstarted-learner";
  /** Its pod in the previous reconcile, if that differs. */
  readonly was?: Partial<PodSeen>;
  readonly awayMs?: number;
}

/** Whether another member replaces c, which has been away for longer than it may be. */
function isReplaced({ pod, claims = true, claim = {}, listed = "voter", was = pod, awayMs = 120_000 }: Case): boolean {
  const noted = {
    name: "c",
    id: "c",
    role: "Follower",
    health: "Unknown",
    version: "3.5.30",
    podHash: podHash({ ...aPod(claims), ...was }),
    servedPodHash: podHash(aPod(claims)),
    notHealthySince: new Date(NOW_MS - awayMs).toISOString(),
  } as const;
  const isJoining = listed !== "voter";
  const { servedPodHash: _, ...joiner } = noted;
  const memberIntents = isJoining ? [{ name: "c", incarnation: 1, purpose: "Join" as const }] : [];
  const status: EtcdClusterStatus = {
    clusterID: CLUSTER_ID,
    incarnation: 1,
    memberStatus: [isJoining ? joiner : noted],
    memberIntents,
  };
  const members = [leader("a"), healthy("b"), unknown("c", { pod, listed, ...(claims && { claim }) })];
  const now = situationOf(anObservation({ members, claims, status }));
  const member = now.members.find(({ name }) => name === "c");
  assert.ok(member);
  return isToBeReplaced(member, now);
}

describe("a member that does not start with its new spec", () => {
  test("is not replaced, however long that takes: another one would fare no better", () => {
    const unschedulable = { ...EDITED, stage: "pending", trouble: "it cannot be scheduled: 0/3 nodes" } as const;
    for (const pod of [PULL_FAILS, unschedulable, { ...EDITED, trouble: "container etcd keeps ending" }]) {
      assert.equal(isReplaced({ pod, awayMs: 3_600_000 }), false);
    }
  });

  test("is replaced where it had served with the same before", () => {
    assert.equal(isReplaced({ pod: { ...AS_BEFORE, trouble: "container etcd keeps ending" } }), true);
  });

  test("is replaced when no trouble is reported and its node may have died, later than others", () => {
    assert.equal(isReplaced({ pod: EDITED }), false);
    assert.equal(isReplaced({ pod: EDITED, awayMs: 300_000 }), true);
  });

  test("is left to the rules for all others once Kubernetes has declared its node lost", () => {
    assert.equal(isReplaced({ pod: { ...PULL_FAILS, isTerminating: true } }), true);
    assert.equal(isReplaced({ pod: { ...PULL_FAILS, isTerminating: true }, claims: false }), true);
  });

  test("is replaced when no node reaches its volume: another one gets another volume", () => {
    for (const words of [
      "2 node(s) had volume node affinity conflict",
      "1 node(s) didn't match PersistentVolume's node affinity",
    ]) {
      assert.equal(isReplaced({ pod: { ...PULL_FAILS, trouble: `it cannot be scheduled: ${words}` } }), true);
    }
  });
});

test("a member whose pod was only just made has its time, however long it was away (a stale cache cost one its volume)", () => {
  const madeAgo = (ms: number) => {
    const metadata = { creationTimestamp: new Date(NOW_MS - ms).toISOString() };
    const made = aMemberPod(anEtcdCluster(), { member: "c", status: { phase: "Pending" }, metadata });
    const { createdAtMs, notReadySinceMs } = podSeen(made, { health: "unknown" });
    return { ...AS_BEFORE, stage: "pending", createdAtMs, notReadySinceMs } as const;
  };
  assert.equal(isReplaced({ pod: madeAgo(5_000) }), false);
  assert.equal(isReplaced({ pod: madeAgo(60_000) }), true);
});

describe("a member that the kubelet finds ready, and that does not answer as itself", () => {
  const ready = (answer: object) => ({ isReady: true, answer: { health: "unknown", ...answer } }) as const;

  test("is waited for when no member responds: that is our trouble", () => {
    assert.equal(isReplaced({ pod: ready({}) }), false);
  });

  test("is replaced when another cluster or another member answers from its pod (it restarted there on a foreign volume, and served)", () => {
    assert.equal(isReplaced({ pod: ready({ otherClusterId: "c2" }) }), true);
    assert.equal(isReplaced({ pod: ready({ otherMemberId: "b" }) }), true);
  });

  test("is not replaced before its time, nor when only the note on its pod is wrong", () => {
    assert.equal(isReplaced({ pod: ready({ otherClusterId: "c2" }), awayMs: 30_000 }), false);
    assert.equal(isReplaced({ pod: ready({ otherMemberId: "c" }) }), false);
  });
});

test("a member whose claim is to be deleted is replaced though its pod waits: another pod would find no volume", () => {
  assert.equal(isReplaced({ pod: PULL_FAILS, claim: { isTerminating: true } }), true);
});

describe("what a member was given is withdrawn or corrected, and", () => {
  test("its time starts over: what it was late with before does not count (a version withdrawn on emptyDir cost the member)", () => {
    const was = { image: "quay.io/coreos/etcd:v3.5.99" };
    assert.equal(isReplaced({ pod: AS_BEFORE, was, claims: false }), false);
    assert.equal(isReplaced({ pod: AS_BEFORE, was: EDITED }), false);
    assert.equal(isReplaced({ pod: { ...EDITED, specHash: "v1:corrected" }, was: EDITED }), false);
  });

  test("from then on it counts", () => {
    assert.equal(isReplaced({ pod: AS_BEFORE, claims: false }), true);
  });

  test("the time in which its old pod terminates is not counted", () => {
    const going = { ...PULL_FAILS, isTerminating: true };
    assert.equal(isReplaced({ pod: { ...going, deletedAtMs: NOW_MS - 5_000 } }), false);
    assert.equal(isReplaced({ pod: { ...going, deletedAtMs: NOW_MS - 60_000 } }), true);
  });
});

describe("a member on a claim whose node is lost has been away since the node stopped reporting, so that it is replaced 60 s later (it took 60 s more)", () => {
  const silent = { ...AS_BEFORE, isMarkedNotReady: true } as const;
  const evicted = { ...silent, isTerminating: true, isEvictedFromNode: true } as const;

  test("whenever Kubernetes declared its node lost, and deleted its pod", () => {
    const pod = { ...evicted, notReadySinceMs: NOW_MS - 20_000, deletedAtMs: NOW_MS - 1_000 };
    assert.equal(isReplaced({ pod, awayMs: 60_000 }), true);
    assert.equal(isReplaced({ pod, awayMs: 59_000 }), false);
  });

  test("but has its time from when the node stopped reporting, where only the operator did not reach it before", () => {
    const pod = { ...silent, notReadySinceMs: NOW_MS - 9_000 };
    assert.equal(isReplaced({ pod, awayMs: 3_600_000 }), false);
    assert.equal(isReplaced({ pod: { ...pod, notReadySinceMs: NOW_MS - 10_000 }, awayMs: 3_600_000 }), true);
  });

  test("and gets its full time again where its kubelet, or a user, reports a change", () => {
    assert.equal(isReplaced({ pod: { ...AS_BEFORE, notReadySinceMs: NOW_MS - 20_000 } }), false);
    assert.equal(isReplaced({ pod: { ...silent, isTerminating: true, deletedAtMs: NOW_MS - 1_000 } }), false);
  });
});

test("a member that waited for certificates to be fixed has its full time again from then on", () => {
  const tls = { defects: ["Secret 'peer' is missing"], expiring: [], ca: { peer: "p", server: "s" } };
  const waiting = { stage: "pending", isEtcdRunning: false, isReady: false } as const;
  const members = [leader("a"), healthy("b"), unknown("c", { pod: waiting })];
  const notHealthySince = new Date(NOW_MS - 3_600_000).toISOString();
  const isReplacedAfter = (podHash: string) => {
    const entry = { name: "c", id: "c", role: "Follower", health: "Unknown", podHash, notHealthySince } as const;
    const status: EtcdClusterStatus = { clusterID: CLUSTER_ID, incarnation: 1, memberStatus: [entry] };
    const now = situationOf(anObservation({ members, claims: true, status }));
    return now.members.some((member) => isToBeReplaced(member, now));
  };
  const pod = { ...aPod(true), ...waiting };
  assert.equal(isReplacedAfter(givenHash(pod, { ...anObservation(), tls })), false);
  assert.equal(isReplacedAfter(givenHash(pod, anObservation())), true);
});

describe("a new member that does not start", () => {
  const joining = { listed: "unstarted-learner", claims: false } as const;

  test("is not replaced by another one that would not start either", () => {
    const pod = { stage: "pending", trouble: "ErrImagePull", isEtcdRunning: false } as const;
    assert.equal(isReplaced({ ...joining, pod, awayMs: 3_600_000 }), false);
  });

  test("is replaced when its pod runs and it never catches up, or its obstacle is not reported", () => {
    assert.equal(isReplaced({ ...joining, pod: { trouble: "container etcd keeps ending" } }), true);
    assert.equal(isReplaced({ ...joining, pod: { stage: "pending", isEtcdRunning: false } }), true);
  });

  test("is not replaced while its pod waits for a node or for its images: its time starts with its etcd container (51 s in Pending cost one)", () => {
    const pending = { stage: "pending", isEtcdRunning: false, notReadySinceMs: NOW_MS - 200_000 } as const;
    const unscheduled = { ...pending, isScheduled: false };
    assert.equal(isReplaced({ ...joining, pod: unscheduled, awayMs: 3_600_000 }), false);
    assert.equal(isReplaced({ ...joining, pod: { ...pending, isAccepted: true }, awayMs: 200_000 }), false);
    const started = { etcdStartedAtMs: NOW_MS - 59_000, notReadySinceMs: NOW_MS - 200_000 };
    assert.equal(isReplaced({ ...joining, pod: started, awayMs: 200_000 }), false);
    assert.equal(isReplaced({ ...joining, pod: { ...started, etcdStartedAtMs: NOW_MS - 60_000 } }), true);
  });

  test("is replaced when its kubelet has not taken its pod up, or has been silent for long: its node may be dead", () => {
    const pending = { stage: "pending", isEtcdRunning: false } as const;
    assert.equal(isReplaced({ ...joining, pod: pending, awayMs: 60_000 }), true);
    assert.equal(isReplaced({ ...joining, pod: { ...pending, isAccepted: true }, awayMs: 300_000 }), true);
  });

  test("is replaced at once when the spec was changed", () => {
    const pod = { ...PULL_FAILS, image: "quay.io/coreos/etcd:v3.5.99" };
    assert.equal(isReplaced({ ...joining, pod, awayMs: 0 }), true);
  });

  test("has its time from when its pod was made, not from when it was declared", () => {
    const pod = { stage: "pending", isEtcdRunning: false, createdAtMs: NOW_MS - 5_000 } as const;
    const members = [leader("a"), healthy("b"), unknown("c", { pod, listed: "unstarted-learner" })];
    const declared = { name: "c", role: "Unknown", health: "Unknown" } as const;
    const status: EtcdClusterStatus = {
      clusterID: CLUSTER_ID,
      incarnation: 1,
      memberIntents: [{ name: "c", incarnation: 1, purpose: "Join" }],
      memberStatus: [{ ...declared, notHealthySince: new Date(NOW_MS - 600_000).toISOString() }],
    };
    const now = situationOf(anObservation({ members, status }));
    assert.ok(now.members.every((member) => !isToBeReplaced(member, now)));
  });
});
