import assert from "node:assert/strict";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import {
  anObservation,
  healthy,
  leader,
  type MemberGiven,
  type ObservationGiven,
  unhealthy,
  unknown,
} from "@etcd-operator/testing/cluster/an-observation.ts";
import {
  answering,
  given,
  noted,
  running as runningIn,
  edited as withSpec,
} from "@etcd-operator/testing/cluster/at-version.ts";
import { describe, test } from "vitest";
import type { Observation, PodSeen } from "../model/observation.ts";
import { plan } from "../plan.ts";

/** What is planned for members of a cluster that was made as given, and then got another spec. */
function edited(given: ObservationGiven, spec: object, change: (seen: Observation) => Observation = (seen) => seen) {
  return plan(change(withSpec(given, spec)));
}

/** The members of these names run another version than the rest. */
function running(version: string, ...names: string[]): (seen: Observation) => Observation {
  return (seen) => runningIn(version, seen, ...names);
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

  test("that is written with a v, and was written without, rolls nothing", () => {
    const made = anObservation({ version: "3.5.16" });
    const edited = anObservation({ version: "v3.5.16" });
    const action = plan({ ...edited, pods: made.pods, claims: made.claims });
    assert.deepEqual([action.kind, action.reason], ["none", "UpToDate"]);
  });

  test("with the build of an image rolls nothing that runs it, and its next release comes in the same build", () => {
    const made = anObservation({ members: three, version: "v3.5.16-amd64" });
    assert.equal(made.pods[0]?.image, "quay.io/coreos/etcd:v3.5.16-amd64");
    assert.equal(plan(made).kind, "none");
    const action = edited({ members: three, version: "v3.5.16-amd64" }, { version: "3.5.30-amd64" });
    assert.equal(action.kind, "restart-member");
    assert.deepEqual(action.change, { kind: "image", image: "quay.io/coreos/etcd:v3.5.30-amd64", version: "3.5.30" });
  });

  test("of the same name from another repository is waited for all the same, though no other member responds for it", () => {
    const elsewhere = { repository: "registry.example/etcd" };
    const moved = (seen: Observation) => given("3.5.30", seen, "b");
    const awaiting = (seen: Observation) => {
      const { pods, ...rest } = moved(seen);
      return { ...rest, pods: pods.map((pod) => ({ ...pod, awaitsNewImage: pod.name === "b" })) };
    };
    assert.equal(edited({ members: three }, elsewhere, awaiting).reason, "RolloutWaiting");
    const next = edited({ members: three }, elsewhere, moved);
    assert.equal(next.kind === "restart-member" && next.member.name, "c");
  });

  test("of the next minor is checked before the first member gets it", () => {
    const action = edited({ members: three, version: "3.5.35" }, { version: "3.6.16" });
    assert.equal(action.kind === "restart-member" && action.leavesMinor, "3.5");
  });

  test("of the next minor was checked for a member that has it in another patch", () => {
    const begun = (seen: Observation) => given("3.6.99", seen, "b");
    const members = [leader("a"), unhealthy("b", { pod: { isReady: false } }), healthy("c")];
    const action = edited({ members, version: "3.5.35", status: noted({ b: "3.5.35" }) }, { version: "3.6.16" }, begun);
    assert.deepEqual(action.kind === "restart-member" && [action.member.name, action.leavesMinor], ["b", undefined]);
  });

  test("is no reason to restart a member first that serves its clients, and only we do not reach", () => {
    const members = [leader("a"), healthy("b"), unknown("c", { pod: { isReady: true } })];
    const action = edited({ members, version: "3.5.16" }, { version: "3.5.30" });
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
  });

  test("is not given to a member that does not respond: it would never get it, and never be replaced", () => {
    const members = [leader("a"), healthy("b"), unknown("c", { pod: { isReady: false } })];
    const action = edited({ members, version: "3.5.16" }, { version: "3.5.30" });
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
  });

  test("reaches the leader last, after it has handed over", () => {
    const done = running("3.5.30", "b", "c");
    const action = edited({ members: three, version: "3.5.16" }, { version: "3.5.30" }, done);
    assert.equal(action.kind, "move-leader");
    assert.deepEqual([action.from.name, action.to.name], ["a", "b"]);
  });

  test("reaches a leader that cannot hand over, as before 3.3, where it is", () => {
    const done = running("3.2.32", "b", "c");
    const action = edited({ members: three, version: "3.2.13" }, { version: "3.2.32" }, done);
    assert.equal(action.kind === "restart-member" && action.member.name, "a");
  });

  test("waits until the previous one has come back with it", () => {
    // Its pod has the image already, but etcd in it still answers as before.
    const patched = (seen: Observation) => given("3.5.30", seen, "b");
    const action = edited({ members: three, version: "3.5.16" }, { version: "3.5.30" }, patched);
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
  });

  test("waits while a member is not healthy, is changing, or has an alarm", () => {
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
    assert.deepEqual(reasons, ["RolloutWaiting", "RolloutWaiting"]);
  });

  test("is not there before the last one has been restarted with it", () => {
    const seen = anObservation({
      members: [leader("a"), healthy("b"), healthy("c", { pod: { awaitsNewImage: true } })],
    });
    assert.equal(plan(seen).message, "Waiting for c");
  });

  test("waits for missing members, which come first", () => {
    const added = edited({ members: five.slice(0, 4), version: "3.5.16" }, { version: "3.5.30", size: 5 });
    assert.deepEqual([added.kind, added.reason], ["declare-join", "ScalingUp"]);
    const memberIntents = [{ name: "new-1", incarnation: 1, purpose: "Join" as const }];
    const status = { clusterID: "c1", incarnation: 1, currentVersion: "3.5.16", memberIntents };
    const declared = edited({ members: three, version: "3.5.16", status }, { version: "3.5.30", size: 4 });
    assert.deepEqual(declared.kind === "add-member" && [declared.name, declared.version], ["new-1", "3.5.16"]);
  });

  test("that skips a minor is refused with the upgrade path, and nothing else waits for it", () => {
    const action = edited({ members: three, version: "3.4.23" }, { version: "3.6.16" });
    assert.equal(action.reason, "VersionRefused");
    assert.match(action.message, /members run 3\.4: upgrade to 3\.5 first/);
    assert.equal(edited({ members: three, version: "3.4.23" }, { version: "3.6.16", size: 5 }).kind, "declare-join");
  });

  describe("of the next minor that must not be begun", () => {
    const barred = (seen: Observation) => ({ ...seen, minorBarred: "the data of b differs" });
    const given = { members: three, claims: true, version: "3.5.35" };
    const next = (more: object) => edited(given, { version: "3.6.16", ...more }, barred);
    const claimsOf = (storage: string) => ({ ...A_CLAIM, resources: { requests: { storage } } });

    test("is reported", () => {
      const action = next({});
      assert.deepEqual([action.kind, action.reason], ["hold", "VersionRefused"]);
      assert.match(action.message, /'3\.6\.16' cannot be reached: the data of b differs/);
    });

    test("keeps no member from being added, and no volume from growing", () => {
      assert.equal(next({ size: 5 }).kind, "declare-join");
      assert.equal(next({ pod: { persistentVolumeClaimSpec: claimsOf("2Gi") } }).kind, "expand-claims");
    });

    test("keeps no other edit from reaching members, which stay at what they run", () => {
      const action = next({ pod: { nodeSelector: { disk: "ssd" }, persistentVolumeClaimSpec: A_CLAIM } });
      assert.deepEqual(action.kind === "restart-member" && [action.change, action.leavesMinor], [
        { kind: "pod" },
        undefined,
      ]);
    });
  });

  test("below the advised patch is reported", () => {
    const action = edited({ members: three, version: "3.5.20" }, { version: "3.6.16" });
    assert.match(action.message, /recommends 3\.5\.32 or newer before upgrading to 3\.6/);
  });

  test("whose flags the pod does not have needs a new pod on the same volume", () => {
    const members = three;
    const action = edited({ members, claims: true, version: "3.6.16" }, { version: "3.7.3" }, (seen) => ({
      ...seen,
      pods: seen.pods.map((pod) => ({ ...pod, flags: [...pod.flags, "--experimental-initial-corrupt-check=true"] })),
    }));
    const returnsWith = { from: "3.6.16", to: "3.7.3" };
    assert.deepEqual(action.kind === "restart-member" && action.change, { kind: "pod", returnsWith });
  });
});

describe("a version that does not come up", () => {
  const stuck = unknown("b", { pod: { trouble: "ErrImagePull", isReady: false } });
  const members = [leader("a"), stuck, healthy("c")];
  const stuckAt = { members, version: "3.5.16", status: noted({ b: "3.5.16" }, "2029-01-01T00:00:00Z") };

  test("stops the roll: no second member is taken down, and the first is not replaced", () => {
    const action = edited(stuckAt, { version: "3.5.99" }, running("3.5.99", "b"));
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
  });

  test("under the same name from another repository stops it no less", () => {
    const waiting = { trouble: "ErrImagePull", isReady: false, isEtcdRunning: false, awaitsNewImage: true };
    const halted = [leader("a"), unknown("b", { pod: waiting }), healthy("c")];
    const status = noted({ b: "3.5.30" }, "2029-01-01T00:00:00Z");
    const elsewhere = { repository: "registry.example/missing" };
    const action = edited({ members: halted, status }, elsewhere, (seen) => given("3.5.30", seen, "b"));
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
  });

  test("is corrected on the stuck member first, at once", () => {
    const action = edited(stuckAt, { version: "3.5.30" }, running("3.5.99", "b"));
    assert.equal(action.kind === "restart-member" && action.member.name, "b");
  });

  test("is withdrawn on the stuck member at once", () => {
    const action = edited(stuckAt, { version: "3.5.16" }, running("3.5.99", "b"));
    assert.deepEqual(action.kind === "restart-member" && [action.member.name, action.change.kind], ["b", "image"]);
  });
});

describe("going back", () => {
  test("is free while versions are mixed", () => {
    const mixed = running("3.5.35", "b", "c");
    const action = edited({ members: three, claims: true, version: "3.6.16" }, { version: "3.5.35" }, mixed);
    assert.equal(action.kind === "move-leader" && action.from.name, "a");
  });

  const told = (seen: Observation) => answering({ downgradeTarget: "3.5.0" }, seen);
  const from36 = (to: object, change?: (seen: Observation) => Observation, members: readonly MemberGiven[] = three) =>
    edited({ members, claims: true, version: "3.6.16" }, to, change);

  test("from 3.6 on etcd is asked first, if all are healthy", () => {
    const action = from36({ version: "3.5.35" });
    assert.equal(action.kind, "set-downgrade");
    assert.deepEqual([action.step, action.target], ["enable", "3.5"]);
    assert.equal(from36({ version: "3.5.35" }, undefined, [leader("a"), healthy("b"), unknown("c")]).kind, "hold");
  });

  test("waits for members that are missing: later no member can join", () => {
    const action = edited({ members: three.slice(0, 2), version: "3.6.16" }, { version: "3.5.30", size: 3 });
    assert.equal(action.kind, "declare-join");
  });

  test("continues once etcd knows, after a check of the data of each, and is cancelled when the user reverts it", () => {
    const action = from36({ version: "3.5.35" }, told);
    assert.equal(action.kind, "restart-member");
    assert.deepEqual([action.member.name, action.change.kind, action.goesBackTo], ["b", "pod", "3.5"]);
    assert.deepEqual([action.leavesMinor, action.costsMajority], [undefined, false]);
    const off = from36({ version: "3.6.16" }, told);
    assert.equal(off.kind === "set-downgrade" && off.step, "cancel");
  });

  test("needs no more requests once one is back, which lets others join", () => {
    const action = from36({ version: "3.5.35" }, (seen) => running("3.5.35", "b")(told(seen)));
    assert.equal(action.kind === "set-downgrade" && action.step, "cancel");
  });

  test("takes the only member down for it, because no member can join meanwhile", () => {
    const action = from36({ version: "3.5.35" }, told, [leader("a")]);
    assert.deepEqual(action.kind === "restart-member" && [action.member.name, action.costsMajority], ["a", true]);
    const more = from36({ version: "3.5.35", size: 3 }, (seen) => given("3.5.35", told(seen), "a"), [leader("a")]);
    assert.match(more.message, /no member can join while etcd downgrades its data to 3\.5/);
  });

  test("takes the only member down once: while it starts with the older version nothing more is done (it was restarted for ever)", () => {
    const claim = { returnsWith: { from: "3.6.16", to: "3.5.35" } };
    const single = (pod: Partial<PodSeen> | null) =>
      edited(
        { members: [unknown("a", { pod, claim })], claims: true, version: "3.6.16", status: noted({ a: "3.6.16" }) },
        { version: "3.5.35" },
      );
    const back = single(null);
    assert.equal(back.kind === "start-members" && back.members[0]?.version, "3.5.35");
    const image = "quay.io/coreos/etcd:v3.5.35";
    const starting = { version: "3.5.35", image, isReady: false, isEtcdRunning: false, stage: "pending" } as const;
    assert.equal(single(starting).kind, "hold");
    assert.equal(single({ ...starting, isEtcdRunning: true, stage: "running" }).kind, "hold");
  });

  test("does not wait for one that is declared, and cannot join before another has been downgraded", () => {
    const memberIntents = [{ name: "n", incarnation: 1, purpose: "Join" as const }];
    const status = { ...noted({}), memberIntents };
    const given = { members: three, size: 4, claims: true, version: "3.6.16", status };
    assert.equal(edited(given, { version: "3.5.35" }, told).kind, "restart-member");
  });

  test("leaves a member alone that is down with data that only etcd itself can bring down", () => {
    const members = [leader("a"), healthy("b"), unknown("c", { pod: { isEtcdRunning: false, trouble: "crashes" } })];
    const action = edited(
      { members, claims: true, version: "3.6.16", status: noted({ c: "3.6.16" }) },
      { version: "3.5.35" },
      told,
    );
    assert.deepEqual([action.kind, action.reason], ["hold", "RolloutWaiting"]);
  });

  test("is refused where etcd cannot bring its data down", () => {
    const action = edited({ members: three, version: "3.5.30" }, { version: "3.4.23" });
    assert.match(action.message, /all members run 3\.5, and etcd before 3\.6 cannot downgrade its data/);
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
    assert.match(action.message, /Adding new-1 before replacing one of: a, b, c/);
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
