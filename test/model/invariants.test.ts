import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import type { RestoreRequest } from "@etcd-operator/operator/api/restore-request.ts";
import type { Action, DiscardSetAside, MemberToStart, Step } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { plan } from "@etcd-operator/operator/cluster/plan.ts";
import { describe, test } from "vitest";
import type { Actor } from "./act-in-world.ts";
import { converge } from "./converge.ts";
import { before, brokenByAction, brokenInWorld } from "./invariants.ts";
import { KubernetesInWorld } from "./kubernetes-in-world.ts";
import { addPod } from "./made-in-world.ts";
import { observeWorld } from "./observe-world.ts";
import type { Planner } from "./pass.ts";
import { type Start, worldAt } from "./situations.ts";
import { request, take } from "./steps.ts";
import { Run } from "./walk.ts";
import { emptyDisk, type World } from "./world.ts";

// A model that never complains proves nothing: here it has to.

const ground = { size: 3, hasClaims: false, isParallel: false, hasLearners: true, keepsClaims: false, isOld: false };

function aWorld(given: Partial<Start> = {}): World {
  const voters = ["healthy", "healthy", "healthy"] as const;
  return worldAt({ ground, voters, leader: 0, joiner: undefined, hasStrays: false, ...given });
}

const because = { reason: "UpToDate", message: "because" } as const;

/** A planner that deletes the first pods it sees. */
function deletes(count: number): Planner {
  return ({ pods }) => ({ kind: "delete-pods", pods: pods.slice(0, count), ...because });
}

/** An actor that takes no second look. */
const careless: Actor = async (hand, _, action) => {
  const api = new KubernetesInWorld(hand);
  const { pods: gone, claims } = action as Partial<DiscardSetAside>;
  for (const pod of gone ?? []) await api.delete(resources.pods, pod);
  for (const claim of claims ?? []) await api.delete(resources.persistentVolumeClaims, claim);
  return { kind: "done" };
};

/** A planner that gives one member another version. */
function restarts(name: string): Planner {
  return ({ pods }) => {
    const pod = pods.find((each) => each.name === name) ?? assert.fail();
    const change = { kind: "image", image: "quay.io/coreos/etcd:v3.5.16", version: "3.5.16" } as const;
    const checks = { leavesMinor: undefined, goesBackTo: undefined, costsMajority: false };
    return { kind: "restart-member", member: { name, id: pod.memberId ?? "" }, pod, change, ...checks, ...because };
  };
}

/** The real planner, except that it does nothing where it would do this. */
function neverDoes(kind: Action["kind"]): Planner {
  return (seen: Observation) => {
    const action = plan(seen);
    return action.kind === kind ? { kind: "none", reason: action.reason, message: action.message } : action;
  };
}

describe("the model notices", () => {
  test("that a reconcile without a second check deletes the pods of a majority", async () => {
    const run = new Run(aWorld(), deletes(2), careless);
    assert.deepEqual(await run.take({ do: "pass" }), ["I1: delete-pods took the majority away"]);
  });

  test("that the second look keeps it from doing so", async () => {
    const run = new Run(aWorld(), deletes(2));
    assert.deepEqual(await run.take({ do: "pass" }), []);
    assert.match(run.did, /postponed/);
  });

  test("that the second look of one that slept after it is of that time, and its writes are of now", async () => {
    const deletesStray: Planner = ({ pods }) => ({
      kind: "delete-pods",
      pods: pods.filter(({ name }) => !["m1", "m2", "m3"].includes(name)),
      ...because,
    });
    for (const isLate of [false, true]) {
      const run = new Run(aWorld({ hasStrays: true }), deletesStray);
      await run.take({ do: "think" });
      await run.take({ do: "resize", size: 5 });
      await run.take({ do: "act", isLate });
      const going = [...run.world.pods.values()].filter(({ isTerminating }) => isTerminating);
      assert.equal(going.length, isLate ? 1 : 0);
      assert.match(run.did, /conflict/);
    }
  });

  test("that something is taken while no majority vouches for the list", async () => {
    const run = new Run(aWorld({ voters: ["healthy", "ended", "ended"], leader: undefined }), deletes(1), careless);
    assert.match((await run.take({ do: "pass" })).join(), /^I6: delete-pods took pod m1/);
  });

  test("that a second voter is taken down before the first is back", async () => {
    const run = new Run(aWorld(), restarts("m1"));
    assert.deepEqual(await run.take({ do: "pass" }), []);
    const was = before(run.world);
    const seen = observeWorld(run.world);
    const action = restarts("m2")(seen);
    run.world.takenDown.add("2");
    assert.deepEqual(brokenByAction(run.world, was, action, seen), ["I8: restart-member took down a second voter"]);
  });

  test("that the second look keeps that from happening, too", async () => {
    const run = new Run(aWorld(), restarts("m1"));
    await run.take({ do: "pass" });
    const again = new Run(run.world, restarts("m2"));
    assert.deepEqual(await again.take({ do: "pass" }), []);
    assert.match(again.did, /postponed/);
  });

  test("that a member begins again with nothing", async () => {
    const world = aWorld({ joiner: "identified" });
    // It becomes a voter, loses its data, and its pod does not say that it has joined.
    const etcd = world.etcds.get("c1") ?? assert.fail();
    etcd.members = etcd.members.map((member) => ({ ...member, isLearner: false }));
    const pod = world.pods.get("m4") ?? assert.fail();
    world.pods.set("m4", { ...pod, memberId: undefined, isUp: false, emptyDir: emptyDisk() });
    world.haveServed.add("4");
    take(world, { do: "start", pod: "m4" });
    assert.deepEqual(brokenInWorld(world), ["I5: m4 has served before and runs on an empty directory"]);
  });

  test("that a majority could form which lacks what was acknowledged to a client", async () => {
    const world = aWorld();
    const [second, third] = ["m2", "m3"].map((name) => world.pods.get(name)?.emptyDir?.log);
    assert.ok(second && third);
    second.index = 1;
    third.index = 1;
    assert.deepEqual(brokenInWorld(world), ["I3: a majority without entry 10 could form"]);
  });

  test("that a second cluster is bootstrapped beside the recorded one", async () => {
    const world = aWorld({ joiner: "added-with-pod" });
    const pod = world.pods.get("m4") ?? assert.fail();
    const start = { kind: "seed" as const, token: "uid-1-2", peers: [] };
    world.pods.set("m4", { ...pod, start, clusterId: undefined });
    take(world, { do: "start", pod: "m4" });
    assert.match(brokenInWorld(world).join(), /^I4: m4 bootstraps cluster \w+, but c1 is on record$/);
  });

  test("that something is done while the cluster is paused", async () => {
    const run = new Run(aWorld({ hasStrays: true }), deletes(1), careless);
    await run.take({ do: "pause", isPaused: true });
    assert.match((await run.take({ do: "pass" })).join(), /I7: /);
  });

  test.each([
    ["promote-member", { joiner: "identified", ground: { ...ground, size: 4 } }],
    ["delete-pods", { hasStrays: true }],
    ["remove-member", { voters: ["healthy", "healthy", "gone"] }],
    ["set-gates", { voters: ["of-another-version", "healthy", "healthy"] }],
    ["forget-intents", { joiner: "made-too-early" }],
  ] as const)("that a planner which never does %s is content too soon", async (kind, given) => {
    const end = await converge(aWorld(given), { nodesReturn: true, planner: neverDoes(kind) });
    assert.equal(end.kind, "failed");
  });
});

describe("of a restore the model notices", () => {
  const forced = (step: Step): Planner => {
    return (seen) => (seen.cluster.status?.restore ? ({ ...step, ...because } as Action) : plan(seen));
  };

  /** A cluster that is asked to go through a restore, and has begun. */
  async function aWorldInRestore(given: Partial<Start> = {}, asked: Partial<RestoreRequest> = {}): Promise<World> {
    const world = aWorld(given);
    request(world, { uid: "r1", ...asked });
    await new Run(world).take({ do: "pass" });
    assert.equal(world.cluster.status?.restore?.state, "Fencing");
    return world;
  }

  test("that data is discarded before the restored cluster is complete", async () => {
    const world = await aWorldInRestore();
    const pods = observeWorld(world).setAside.pods.slice(0, 1);
    Object.assign(world.cluster.status?.restore ?? {}, { allSaved: true });
    const run = new Run(world, forced({ kind: "discard-set-aside", pods, claims: [], noRoomFor: "m9" }), careless);
    assert.match((await run.take({ do: "pass" })).join(), /^I9: discard-set-aside took pod-\d+ before/);
  });

  test("that the first new member starts beside a previous one", async () => {
    const world = await aWorldInRestore();
    addPod(world, RESTORED);
    const run = new Run(world);
    assert.deepEqual(await run.take({ do: "wait", seconds: 1 }), []);
    assert.match((await run.take({ do: "start", pod: "m9" })).join(), /I10: members of two incarnations run at once/);
  });

  test("that one is restored again, when others rely on what it had", async () => {
    const world = await aWorldInRestore();
    for (const pod of world.pods.values()) pod.isUp = false;
    addPod(world, RESTORED);
    const run = new Run(world);
    await run.take({ do: "start", pod: "m9" });
    for (const etcd of world.etcds.values()) etcd.acknowledged = 5;
    await run.take({ do: "node-dies", pod: "m9" });
    await run.take({ do: "node-returns", pod: "m9" });
    assert.match((await run.take({ do: "start", pod: "m9" })).join(), /I5: m9 is restored again/);
  });

  test("that one is asked for while a majority has its data", async () => {
    const restore = { metadata: { name: "r" } } as never;
    const run = new Run(aWorld({ voters: ["on-a-dead-node", "on-a-dead-node", "healthy"], leader: undefined }), () => ({
      kind: "create-restore",
      restore,
      lost: [],
      ...because,
    }));
    assert.match((await run.take({ do: "pass" })).join(), /I11: a restore is asked for, but a majority has its data/);
  });

  test("that one is requested while a member with data does not answer", async () => {
    const voters = ["gone", "gone", "on-a-dead-node"] as const;
    const run = new Run(aWorld({ voters, leader: undefined }), () => ({
      kind: "create-restore",
      restore: { metadata: { name: "r" } } as never,
      lost: [],
      ...because,
    }));
    assert.match(
      (await run.take({ do: "pass" })).join(),
      /I13: a restore is asked for, but m3 has its data and is not heard/,
    );
  });

  test("that a claim goes of which nothing is in a store", async () => {
    const world = await aWorldInRestore({ ground: { ...ground, hasClaims: true } }, { isSaved: false });
    const claims = observeWorld(world).setAside.claims.slice(0, 1);
    // A planner that believes it saved.
    const forgetful: Planner = ({ cluster }) => {
      Object.assign(cluster.status?.restore ?? {}, { saved: true, allSaved: true });
      return { kind: "discard-set-aside", pods: [], claims, noRoomFor: "m9", ...because };
    };
    const run = new Run(world, forgetful, careless);
    assert.match((await run.take({ do: "pass" })).join(), /I12: discard-set-aside took claim-?\w*\d+, of which/);
  });

  test("that the restored member runs beside a previous one, though the status was lost", async () => {
    const world = await aWorldInRestore();
    addPod(world, RESTORED);
    take(world, { do: "lose-status" });
    const run = new Run(world);
    assert.match(
      (await run.take({ do: "start", pod: "m9" })).join(),
      /I14: a restored member runs beside one of another/,
    );
  });

  test("nothing, when a second one replaces a first of which nothing was saved: its claims stay", async () => {
    const world = await aWorldInRestore({ ground: { ...ground, hasClaims: true } }, { isSaved: false });
    const unsaved = [...world.unsaved.keys()];
    assert.equal(unsaved.length, 3);
    const run = new Run(world);
    for (let passes = 0; world.cluster.status?.restore?.state !== "Joining" && passes < 20; passes += 1) {
      assert.deepEqual([...(await run.take({ do: "pass" })), ...(await run.take({ do: "let-run" }))], []);
    }
    await run.take({ do: "request-restore", uid: "r2", isSaved: true });
    const end = await converge(world, { nodesReturn: true });
    assert.equal(end.kind, "as-the-spec-says", end.log.join("\n"));
    assert.equal(world.cluster.status?.restore?.uid, "r2");
    const left = [...world.claims.values()].map(({ uid }) => uid);
    assert.ok(unsaved.every((uid) => left.includes(uid)));
    // Three of the cluster as it is, and one of the single member in between, which could take writes until it stopped.
    assert.equal(left.length, unsaved.length + 3 + 1);
  });

  test("nothing, when the status is lost after it was done: it is not done again", async () => {
    const world = await aWorldInRestore();
    assert.equal((await converge(world, { nodesReturn: true })).kind, "as-the-spec-says");
    const before = world.cluster.status?.clusterID;
    take(world, { do: "lose-status" });
    const end = await converge(world, { nodesReturn: true });
    assert.equal(end.kind, "as-the-spec-says", end.log.join("\n"));
    assert.equal(world.cluster.status?.clusterID, before);
  });

  test("that it never ends", async () => {
    const end = await converge(await aWorldInRestore(), { nodesReturn: true, planner: neverDoes("turn-restore") });
    assert.equal(end.kind, "failed");
    assert.match(end.kind === "failed" ? end.why : "", /a restore is Joining/);
  });

  test("nothing, when it goes as it should", async () => {
    for (const hasClaims of [false, true]) {
      const end = await converge(await aWorldInRestore({ ground: { ...ground, hasClaims } }), { nodesReturn: true });
      assert.equal(end.kind, "as-the-spec-says", end.log.join("\n"));
    }
  });
});

const RESTORED: MemberToStart = {
  name: "m9",
  version: "3.5.30",
  incarnation: 2,
  start: { kind: "restored", token: "t", revisionBump: 0, restoreUid: "r1" },
};
