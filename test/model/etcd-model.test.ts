import assert from "node:assert/strict";
import { describe, test } from "vitest";
import { addMember, electable, majoritySide, promoteMember, removeMember } from "./etcd-model.ts";
import { type Start, type VoterSituation, worldAt } from "./situations.ts";
import { take } from "./steps.ts";
import type { Etcd, World } from "./world.ts";

// What etcd-safety says of etcd, which the model has to say too.

const ground = { size: 3, hasClaims: false, isParallel: false, hasLearners: true, keepsClaims: false, isOld: false };
const three: readonly VoterSituation[] = ["healthy", "healthy", "healthy"];

function aCluster(given: Partial<Start> = {}): { world: World; etcd: Etcd } {
  const world = worldAt({ ground, voters: three, leader: 0, joiner: undefined, hasStrays: false, ...given });
  const etcd = world.etcds.get("c1");
  assert.ok(etcd);
  return { world, etcd };
}

describe("etcd's own check of changes", () => {
  test("takes a learner, but not a second one", () => {
    const { world, etcd } = aCluster();
    assert.equal(addMember(world, etcd, "m7", true), "done");
    take(world, { do: "wait", seconds: 60 });
    assert.equal(addMember(world, etcd, "m8", true), "too-many-learners");
  });

  test("accepts no member until all voters have been connected for five seconds", () => {
    const { world, etcd } = aCluster();
    etcd.calmSinceMs = world.nowMs;
    assert.equal(addMember(world, etcd, "m7", true), "unhealthy-cluster");
    take(world, { do: "wait", seconds: 5 });
    assert.equal(addMember(world, etcd, "m7", true), "done");
  });

  test("accepts no member while one of three is down", () => {
    const { world, etcd } = aCluster({ voters: ["healthy", "healthy", "ended"] });
    assert.equal(addMember(world, etcd, "m7", true), "unhealthy-cluster");
  });

  test("takes two voters that never start: it is no protection", () => {
    const { world, etcd } = aCluster({ ground: { ...ground, hasLearners: false } });
    assert.equal(addMember(world, etcd, "m7", false), "done");
    take(world, { do: "wait", seconds: 60 });
    assert.equal(addMember(world, etcd, "m8", false), "done");
    assert.deepEqual([etcd.members.length, majoritySide(world, etcd).length], [5, 3]);
  });

  test("removes a member that is down, and not one that the majority needs", () => {
    const { world, etcd } = aCluster({ voters: ["healthy", "healthy", "ended"] });
    assert.equal(removeMember(world, etcd, "2"), "unhealthy-cluster");
    assert.equal(removeMember(world, etcd, "3"), "done");
  });

  test("promotes a learner when it has caught up, and not before", () => {
    const { world, etcd } = aCluster({ joiner: "started" });
    take(world, { do: "write", by: ["m2"] });
    assert.equal(promoteMember(world, etcd, "4"), "learner-not-ready");
    take(world, { do: "catch-up", pod: "m4" });
    assert.equal(promoteMember(world, etcd, "4"), "done");
  });
});

describe("a majority", () => {
  test("is gone from the moment a second voter is added until it starts", () => {
    const { world, etcd } = aCluster({ voters: ["healthy"], ground: { ...ground, hasLearners: false } });
    assert.equal(addMember(world, etcd, "m7", false), "done");
    assert.deepEqual(majoritySide(world, etcd), []);
  });

  test("is on one side of a partition", () => {
    const { world, etcd } = aCluster();
    take(world, { do: "part", pod: "m1" });
    assert.deepEqual(
      majoritySide(world, etcd).map(({ member }) => member.name),
      ["m2", "m3"],
    );
  });

  test("elects no member that lacks an acknowledged write", () => {
    const { world, etcd } = aCluster();
    take(world, { do: "write", by: ["m2"] });
    take(world, { do: "crash", pod: "m1" });
    assert.deepEqual(
      electable(world, etcd).map(({ member }) => member.name),
      ["m2"],
    );
  });
});
