import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { A_CLAIM } from "../../../test/support/cluster/an-etcd-cluster.ts";
import {
  anObservation,
  CLUSTER_ID,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unknown,
} from "../../../test/support/cluster/an-observation.ts";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import type { Observation, PodSeen } from "../observation.ts";
import { plan } from "../plan.ts";

/** Members of a cluster that was made as given, and then gets another spec. */
function edited(given: ObservationGiven, spec: object, change: (seen: Observation) => Observation = (seen) => seen) {
  const before = anObservation(given);
  const after = anObservation({ ...given, spec: { ...given.spec, ...spec } });
  return plan(change({ ...before, cluster: after.cluster }));
}

/** The members of these names run another version than the rest. */
function running(version: string, ...names: string[]): (seen: Observation) => Observation {
  return (seen) => ({
    ...seen,
    pods: seen.pods.map((pod) => (names.includes(pod.name) ? atVersion(pod, version) : pod)),
  });
}

function atVersion(pod: PodSeen, version: string): PodSeen {
  const { status } = pod.answer;
  return {
    ...pod,
    version,
    image: `quay.io/coreos/etcd:v${version}`,
    answer: { ...pod.answer, ...(status && { status: { ...status, version } }) },
  };
}

const three = [leader("a"), healthy("b"), healthy("c")];
const five = [leader("a"), healthy("b"), healthy("c"), healthy("d"), healthy("e")];

describe("a new version", () => {
  test("reaches a follower first, in its pod, where its data stays", () => {
    const action = edited({ members: three, version: "3.5.16" }, { version: "3.5.30" });
    assert.equal(action.kind, "restart-member");
    assert.equal(action.member.name, "b");
    assert.deepEqual(action.change, { kind: "image", image: "quay.io/coreos/etcd:v3.5.30", version: "3.5.30" });
    assert.equal(action.leavesMinor, undefined);
  });

  test("of the next minor is checked before the first member gets it", () => {
    const action = edited({ members: three, version: "3.5.35" }, { version: "3.6.16" });
    assert.equal(action.kind === "restart-member" && action.leavesMinor, "3.5");
  });

  test("reaches the leader last, after it has handed over", () => {
    const done = running("3.5.30", "b", "c");
    const action = edited({ members: three, version: "3.5.16" }, { version: "3.5.30" }, done);
    assert.equal(action.kind, "move-leader");
    assert.deepEqual([action.from.name, action.to.name], ["a", "b"]);
  });

  test("waits until the one before has come back with it", () => {
    const patched = (seen: Observation) => ({
      ...seen,
      // Its pod has the image already, but etcd in it still answers as before.
      pods: seen.pods.map((pod) => (pod.name === "b" ? { ...atVersion(pod, "3.5.30"), answer: pod.answer } : pod)),
    });
    const action = edited({ members: three, version: "3.5.16" }, { version: "3.5.30" }, patched);
    assert.deepEqual([action.kind, action.reason], ["hold", "RollWaits"]);
  });

  test("waits while anybody is not well, is on the way, or has an alarm", () => {
    const reasons = [
      edited(
        { members: [leader("a"), healthy("b"), healthy("c"), unknown("d"), unknown("e")], version: "3.5.16" },
        { version: "3.5.30" },
      ),
      edited({ members: three, version: "3.5.16" }, { version: "3.5.30" }, (seen) => ({
        ...seen,
        alarms: [{ memberId: "a", kind: "no-space" }],
      })),
    ].map(({ reason }) => reason);
    assert.deepEqual(reasons, ["RollWaits", "RollWaits"]);
  });

  test("that skips a minor is refused with the way to go, and nothing else waits for it", () => {
    const action = edited({ members: three, version: "3.4.23" }, { version: "3.6.16" });
    assert.equal(action.reason, "VersionRefused");
    assert.match(action.message, /members run 3\.4: go to 3\.5 first/);
    assert.equal(edited({ members: three, version: "3.4.23" }, { version: "3.6.16", size: 5 }).kind, "declare-join");
  });

  test("below the advised patch is told of", () => {
    const action = edited({ members: three, version: "3.5.16" }, { version: "3.6.16" });
    assert.match(action.message, /advises to be at 3\.5\.32 or newer before going to 3\.6/);
  });

  test("whose flags the pod does not have needs a new pod on the same volume", () => {
    const members = three;
    const action = edited({ members, claims: true, version: "3.6.16" }, { version: "3.7.3" }, (seen) => ({
      ...seen,
      pods: seen.pods.map((pod) => ({ ...pod, flags: [...pod.flags, "--experimental-initial-corrupt-check=true"] })),
    }));
    assert.deepEqual(action.kind === "restart-member" && action.change, { kind: "pod" });
  });
});

describe("a version that does not come up", () => {
  const stuck = unknown("b", { pod: { trouble: "ErrImagePull", isReady: false } });
  const members = [leader("a"), stuck, healthy("c")];
  const noted = (version: string): EtcdClusterStatus => ({
    clusterID: CLUSTER_ID,
    incarnation: 1,
    phase: "Running",
    currentVersion: "3.5.16",
    memberStatus: [
      { name: "b", id: "b", role: "Follower", health: "Unknown", version, notHealthySince: "2029-01-01T00:00:00Z" },
    ],
  });
  const given: ObservationGiven = { members, version: "3.5.16", status: noted("3.5.16") };

  test("stops the roll: no second member is taken down, and the first is not replaced", () => {
    const action = edited(given, { version: "3.5.99" }, running("3.5.99", "b"));
    assert.deepEqual([action.kind, action.reason], ["hold", "RollWaits"]);
  });

  test("is corrected on the stuck member first, at once", () => {
    const action = edited(given, { version: "3.5.30" }, running("3.5.99", "b"));
    assert.equal(action.kind === "restart-member" && action.member.name, "b");
  });

  test("is withdrawn on the stuck member at once", () => {
    const action = edited(given, { version: "3.5.16" }, running("3.5.99", "b"));
    assert.deepEqual(action.kind === "restart-member" && [action.member.name, action.change.kind], ["b", "image"]);
  });
});

describe("a member in whose pod nothing runs", () => {
  const idle = { isEtcdRunning: false, isReady: false, trouble: "ErrImagePull" };
  const members = [leader("a", { health: "unhealthy" }), unknown("b", { pod: idle }), unknown("c", { pod: null })];

  test("gets a corrected version without a majority too: it may be what brings the majority back", () => {
    const memberStatus = ["a", "b", "c"].map((name) => {
      return { name, id: name, role: "Follower", health: "Unknown", version: "3.5.16" } as const;
    });
    const status = {
      clusterID: CLUSTER_ID,
      incarnation: 1,
      phase: "Running",
      currentVersion: "3.5.16",
      memberStatus,
    } as const;
    const given = { members, version: "3.5.16", membership: "unconfirmed" as const, status };
    const action = edited(given, { version: "3.5.16" }, running("3.5.99", "b"));
    assert.deepEqual(action.kind === "restart-member" && [action.member.name, action.change], [
      "b",
      { kind: "image", image: "quay.io/coreos/etcd:v3.5.16", version: "3.5.16" },
    ]);
  });
});

describe("going back", () => {
  test("is free while versions are mixed", () => {
    const mixed = running("3.5.35", "b", "c");
    const action = edited({ members: three, claims: true, version: "3.6.16" }, { version: "3.5.35" }, mixed);
    assert.equal(action.kind === "move-leader" && action.from.name, "a");
  });

  test("from 3.6 on etcd is told first", () => {
    const action = edited({ members: three, version: "3.6.16" }, { version: "3.5.35" });
    assert.equal(action.kind, "set-downgrade");
    assert.deepEqual([action.step, action.target], ["enable", "3.5"]);
  });

  test("goes on once etcd knows, and is called off when the user does not want it any more", () => {
    const told = (seen: Observation) => ({
      ...seen,
      pods: seen.pods.map((pod) => ({
        ...pod,
        answer: {
          ...pod.answer,
          ...(pod.answer.status && { status: { ...pod.answer.status, downgradeTarget: "3.5.0" } }),
        },
      })),
    });
    const kindOf = (version: string) =>
      edited({ members: three, claims: true, version: "3.6.16" }, { version }, told).kind;
    assert.equal(kindOf("3.5.35"), "restart-member");
    assert.equal(kindOf("3.6.16"), "set-downgrade");
  });

  test("is refused where etcd cannot bring its data down", () => {
    const action = edited({ members: three, version: "3.5.30" }, { version: "3.4.23" });
    assert.match(action.message, /all members run 3\.5, and etcd before 3\.6 cannot bring its data back/);
  });
});

describe("any other edit of the pods", () => {
  const resources = { pod: { resources: { requests: { cpu: "2" } } } };
  const onClaims = { pod: { ...resources.pod, persistentVolumeClaimSpec: A_CLAIM } };

  test("reaches a member on a volume by a new pod on it", () => {
    const action = edited({ members: three, claims: true }, onClaims);
    assert.deepEqual(action.kind === "restart-member" && [action.member.name, action.change.kind], ["b", "pod"]);
  });

  test("reaches a member without a volume by another member, which comes first", () => {
    const action = edited({ members: three }, resources);
    assert.equal(action.kind, "declare-join");
    assert.match(action.message, /new-1 comes before one of a, b, c goes/);
  });

  test("then takes the outdated one away, the leader last", () => {
    const fresh = (seen: Observation) => ({
      ...seen,
      pods: seen.pods.map((pod) => (pod.name === "d" ? freshly(pod, seen) : pod)),
    });
    const members: MemberGiven[] = [...three, healthy("d")];
    const action = edited({ members, size: 3 }, resources, fresh);
    assert.deepEqual(action.kind === "remove-member" && [action.member.name, action.because], ["b", "surplus"]);
  });

  test("keeps the majority of one and of two: there, too, another comes first", () => {
    assert.equal(edited({ members: [leader("a")], claims: true }, onClaims).kind, "declare-join");
    assert.equal(
      edited({ members: [leader("a"), healthy("b")], version: "3.5.16" }, { version: "3.5.30" }).kind,
      "declare-join",
    );
    assert.equal(edited({ members: five, version: "3.5.16" }, { version: "3.5.30" }).kind, "restart-member");
  });

  test("reaches pods by a patch where it is only about labels and annotations", () => {
    const action = edited({ members: three }, { pod: { labels: { team: "a" }, annotations: { note: "b" } } });
    assert.equal(action.kind, "patch-pods");
    assert.deepEqual(action.pods[0]?.labels, { team: "a" });
  });
});

describe("volumes", () => {
  const claim = (storage: string, more: object = {}) => ({
    pod: { persistentVolumeClaimSpec: { ...A_CLAIM, ...more, resources: { requests: { storage } } } },
  });

  test("grow under running members", () => {
    const action = edited({ members: three, claims: true }, claim("2Gi"));
    assert.equal(action.kind, "expand-claims");
    assert.deepEqual([action.storage, action.claims.length], ["2Gi", 3]);
  });

  test("are not asked to shrink", () => {
    assert.equal(edited({ members: three, claims: true }, claim("512Mi")).kind, "none");
  });

  test("come to members that had none, and go, with another member each", () => {
    assert.equal(edited({ members: three }, claim("1Gi")).kind, "declare-join");
    assert.equal(edited({ members: three, claims: true }, { pod: {} }).kind, "declare-join");
  });
});

test("a new release of the operator, which makes other pods from the same spec, rolls nothing", () => {
  const action = edited({ members: three }, {}, (seen) => ({
    ...seen,
    pods: seen.pods.map((pod) => ({ ...pod, flags: ["--something-else"], asksForLivez: false })),
  }));
  assert.equal(action.kind, "none");
});

function freshly(pod: PodSeen, { cluster }: Observation): PodSeen {
  const [made] = anObservation({ members: [leader("x")], spec: cluster.spec }).pods;
  return { ...pod, specHash: made?.specHash };
}
