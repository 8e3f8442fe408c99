import assert from "node:assert/strict";
import type { RestoreRequest } from "@etcd-operator/operator/api/restore-request.ts";
import type { Action, MemberToStart, Step } from "@etcd-operator/operator/cluster/model/action.ts";
import type { Observation } from "@etcd-operator/operator/cluster/model/observation.ts";
import { plan } from "@etcd-operator/operator/cluster/plan.ts";
import { describe, test } from "vitest";
import { converge } from "./converge.ts";
import { before, brokenByAction, brokenInWorld } from "./invariants.ts";
import { podOf } from "./make-member.ts";
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
  test("that a pass without a second look deletes the pods of a majority", () => {
    const run = new Run(aWorld(), deletes(2));
    run.take({ do: "think" });
    assert.deepEqual(run.take({ do: "act", isLate: true }), ["I1: delete-pods took the majority away"]);
  });

  test("that the second look keeps it from doing so", () => {
    const run = new Run(aWorld(), deletes(2));
    assert.deepEqual(run.take({ do: "pass" }), []);
    assert.match(run.did, /postponed/);
  });

  test("that something is taken while no majority vouches for the list", () => {
    const run = new Run(aWorld({ voters: ["healthy", "ended", "ended"], leader: undefined }), deletes(1));
    run.take({ do: "think" });
    assert.match(run.take({ do: "act", isLate: true }).join(), /^I6: delete-pods took pod m1/);
  });

  test("that a second voter is taken down before the first is back", () => {
    const run = new Run(aWorld(), restarts("m1"));
    assert.deepEqual(run.take({ do: "pass" }), []);
    const was = before(run.world);
    const seen = observeWorld(run.world);
    const action = restarts("m2")(seen);
    run.world.takenDown.add("2");
    assert.deepEqual(brokenByAction(run.world, was, action, seen), ["I8: restart-member took down a second voter"]);
  });

  test("that the second look keeps that from happening, too", () => {
    const run = new Run(aWorld(), restarts("m1"));
    run.take({ do: "pass" });
    const again = new Run(run.world, restarts("m2"));
    assert.deepEqual(again.take({ do: "pass" }), []);
    assert.match(again.did, /postponed/);
  });

  test("that a member begins again with nothing", () => {
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

  test("that a majority could form which lacks what a client was told", () => {
    const world = aWorld();
    const [second, third] = ["m2", "m3"].map((name) => world.pods.get(name)?.emptyDir?.log);
    assert.ok(second && third);
    second.index = 1;
    third.index = 1;
    assert.deepEqual(brokenInWorld(world), ["I3: a majority without entry 10 could form"]);
  });

  test("that a second cluster is founded beside the recorded one", () => {
    const world = aWorld({ joiner: "added-with-pod" });
    const pod = world.pods.get("m4") ?? assert.fail();
    const start = { kind: "seed" as const, token: "uid-1-2", peers: [] };
    world.pods.set("m4", { ...pod, start, clusterId: undefined });
    take(world, { do: "start", pod: "m4" });
    assert.match(brokenInWorld(world).join(), /^I4: m4 founds cluster \w+, but c1 is on record$/);
  });

  test("that something is done while the cluster is paused", () => {
    const run = new Run(aWorld({ hasStrays: true }), (seen) => ({
      ...plan({ ...seen, cluster: { ...seen.cluster, spec: { ...seen.cluster.spec, paused: false } } }),
    }));
    run.take({ do: "pause", isPaused: true });
    run.take({ do: "think" });
    assert.match(run.take({ do: "act", isLate: true }).join(), /^I7: /);
  });

  test.each([
    ["promote-member", { joiner: "identified", ground: { ...ground, size: 4 } }],
    ["delete-pods", { hasStrays: true }],
    ["remove-member", { voters: ["healthy", "healthy", "gone"] }],
    ["set-gates", { joiner: "identified", ground: { ...ground, size: 4 } }],
    ["forget-intents", { joiner: "made-too-early" }],
  ] as const)("that a planner which never does %s is content too soon", (kind, given) => {
    const end = converge(aWorld(given), { nodesReturn: true, planner: neverDoes(kind) });
    assert.equal(end.kind, "failed");
  });
});

describe("of a restore the model notices", () => {
  const forced = (step: Step): Planner => {
    return (seen) => (seen.cluster.status?.restore ? ({ ...step, ...because } as Action) : plan(seen));
  };

  /** A cluster that is asked to go through a restore, and has begun. */
  function aWorldInRestore(given: Partial<Start> = {}, asked: Partial<RestoreRequest> = {}): World {
    const world = aWorld(given);
    request(world, { uid: "r1", ...asked });
    new Run(world).take({ do: "pass" });
    assert.equal(world.cluster.status?.restore?.state, "Fencing");
    return world;
  }

  test("that data is discarded before the restored cluster is whole", () => {
    const world = aWorldInRestore();
    const pods = observeWorld(world).setAside.pods.slice(0, 1);
    Object.assign(world.cluster.status?.restore ?? {}, { allSaved: true });
    const run = new Run(world, forced({ kind: "discard-set-aside", pods, claims: [], noRoomFor: "m9" }));
    assert.match(run.take({ do: "pass" }).join(), /^I9: discard-set-aside took pod-\d+ before/);
  });

  test("that the first new member starts beside one of before", () => {
    const world = aWorldInRestore();
    world.pods.set("m9", podOf(world, RESTORED));
    const run = new Run(world);
    assert.deepEqual(run.take({ do: "wait", seconds: 1 }), []);
    assert.match(run.take({ do: "start", pod: "m9" }).join(), /I10: members of two incarnations run at once/);
  });

  test("that one is restored once more, when others rely on what it had", () => {
    const world = aWorldInRestore();
    for (const pod of world.pods.values()) pod.isUp = false;
    world.pods.set("m9", podOf(world, RESTORED));
    const run = new Run(world);
    run.take({ do: "start", pod: "m9" });
    for (const etcd of world.etcds.values()) etcd.acknowledged = 5;
    run.take({ do: "node-dies", pod: "m9" });
    run.take({ do: "node-returns", pod: "m9" });
    assert.match(run.take({ do: "start", pod: "m9" }).join(), /I5: m9 is restored again/);
  });

  test("that one is asked for while a majority has its data", () => {
    const restore = { metadata: { name: "r" } } as never;
    const run = new Run(aWorld({ voters: ["on-a-dead-node", "on-a-dead-node", "healthy"], leader: undefined }), () => ({
      kind: "create-restore",
      restore,
      lost: [],
      ...because,
    }));
    assert.match(run.take({ do: "pass" }).join(), /I11: a restore is asked for, but a majority has its data/);
  });

  test("that one is asked for while somebody who has data is not heard", () => {
    const voters = ["gone", "gone", "on-a-dead-node"] as const;
    const run = new Run(aWorld({ voters, leader: undefined }), () => ({
      kind: "create-restore",
      restore: { metadata: { name: "r" } } as never,
      lost: [],
      ...because,
    }));
    assert.match(run.take({ do: "pass" }).join(), /I13: a restore is asked for, but m3 has its data and is not heard/);
  });

  test("that a claim goes of which nothing is in a store", () => {
    const world = aWorldInRestore({ ground: { ...ground, hasClaims: true } }, { isSaved: false });
    const claims = observeWorld(world).setAside.claims.slice(0, 1);
    // A planner that believes it saved.
    const forgetful: Planner = ({ cluster }) => {
      Object.assign(cluster.status?.restore ?? {}, { saved: true, allSaved: true });
      return { kind: "discard-set-aside", pods: [], claims, noRoomFor: "m9", ...because };
    };
    const run = new Run(world, forgetful);
    assert.match(run.take({ do: "pass" }).join(), /I12: discard-set-aside took claim-?\w*\d+, of which/);
  });

  test("that the restored member runs beside one of before, though the status was lost", () => {
    const world = aWorldInRestore();
    world.pods.set("m9", podOf(world, RESTORED));
    take(world, { do: "lose-status" });
    const run = new Run(world);
    assert.match(run.take({ do: "start", pod: "m9" }).join(), /I14: a restored member runs beside one of another/);
  });

  test("nothing, when a second one takes the place of a first of which nothing was saved: its claims stay", () => {
    const world = aWorldInRestore({ ground: { ...ground, hasClaims: true } }, { isSaved: false });
    const unsaved = [...world.unsaved.keys()];
    assert.equal(unsaved.length, 3);
    const run = new Run(world);
    for (let passes = 0; world.cluster.status?.restore?.state !== "Joining" && passes < 20; passes += 1) {
      assert.deepEqual([...run.take({ do: "pass" }), ...run.take({ do: "let-run" })], []);
    }
    run.take({ do: "request-restore", uid: "r2", isSaved: true });
    const end = converge(world, { nodesReturn: true });
    assert.equal(end.kind, "as-the-spec-says", end.log.join("\n"));
    assert.equal(world.cluster.status?.restore?.uid, "r2");
    const left = [...world.claims.values()].map(({ uid }) => uid);
    assert.ok(unsaved.every((uid) => left.includes(uid)));
    // Three of the cluster as it is, and one of the single member in between, which could take writes until it stopped.
    assert.equal(left.length, unsaved.length + 3 + 1);
  });

  test("nothing, when the status is lost after it was done: it is not done once more", () => {
    const world = aWorldInRestore();
    assert.equal(converge(world, { nodesReturn: true }).kind, "as-the-spec-says");
    const before = world.cluster.status?.clusterID;
    take(world, { do: "lose-status" });
    const end = converge(world, { nodesReturn: true });
    assert.equal(end.kind, "as-the-spec-says", end.log.join("\n"));
    assert.equal(world.cluster.status?.clusterID, before);
  });

  test("that it never ends", () => {
    const end = converge(aWorldInRestore(), { nodesReturn: true, planner: neverDoes("turn-restore") });
    assert.equal(end.kind, "failed");
    assert.match(end.kind === "failed" ? end.why : "", /a restore is Joining/);
  });

  test("nothing, when it goes as it should", () => {
    for (const hasClaims of [false, true]) {
      const end = converge(aWorldInRestore({ ground: { ...ground, hasClaims } }), { nodesReturn: true });
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
