import assert from "node:assert/strict";
import { anObservation } from "@etcd-operator/testing/cluster/an-observation.ts";
import { DONE, failure, hold, join, none, World } from "@etcd-operator/testing/cluster/world-of-one.ts";
import { beforeEach, describe, test } from "vitest";
import type { Action, ActionOutcome } from "./model/action.ts";
import type { Observation } from "./model/observation.ts";

let world: World;
beforeEach(() => {
  world = new World();
});

describe("a step to another minor that is not fit to be made", () => {
  const unfit: ActionOutcome = { kind: "postponed", why: "data differs", retryMs: 5_000, barsMinor: true };
  const refused: Action = { kind: "hold", reason: "VersionRefused", message: "data differs" };

  test("keeps nothing else from being done in the same reconcile", async () => {
    world.action = { ...join, leavesMinor: "3.5" };
    world.barred = { kind: "forget-intents", names: ["x"], reason: "WaitingForMembers", message: "something else" };
    world.act = async () => (world.story.length === 1 ? unfit : DONE);
    const outcome = await world.pass();
    assert.deepEqual(world.story, ["act declare-join", "act forget-intents", "write", "tell WaitingForMembers"]);
    assert.equal(outcome.kind === "retry" && outcome.afterMs, 0);
  });

  test("is tried again after a while where there is nothing else", async () => {
    world.action = { ...join, leavesMinor: "3.5" };
    world.barred = refused;
    world.act = async () => (world.story.length === 1 ? unfit : DONE);
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 5_000, why: "data differs" });
    assert.deepEqual(
      world.written.map(({ reason }) => reason),
      ["VersionRefused: data differs"],
    );
  });

  test("is believed meanwhile, because finding out is costly; until the spec is edited or the time is over", async () => {
    const seen = anObservation();
    const { metadata } = seen.cluster;
    const edited = { ...seen.cluster, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } };
    world.action = { ...join, leavesMinor: "3.5" };
    world.barred = refused;
    const acts = async (at: Observation) => {
      world.seen = at;
      world.story.length = 0;
      world.act = async () => (world.story.at(-1) === "act declare-join" ? unfit : DONE);
      await world.pass();
      return world.story.filter((line) => line.startsWith("act "));
    };
    assert.deepEqual(await acts(seen), ["act declare-join", "act hold"]);
    assert.deepEqual(await acts({ ...seen, nowMs: seen.nowMs + 4_999 }), ["act hold"]);
    assert.deepEqual(await acts({ ...seen, cluster: edited }), ["act declare-join", "act hold"]);
    assert.deepEqual(await acts({ ...seen, cluster: edited, nowMs: seen.nowMs + 5_000 }), [
      "act declare-join",
      "act hold",
    ]);
  });
});

describe("a reconcile", () => {
  test("acts, then writes the status, then reports it", async () => {
    world.action = join;
    await world.pass();
    assert.deepEqual(world.story, ["act declare-join", "write", "tell ScalingUp"]);
  });

  test("writes no status that says what the last one said", async () => {
    world.seen = anObservation({ status: { reason: "UpToDate: all is well" } });
    await world.pass();
    assert.deepEqual(world.written, []);
  });

  test("does nothing about a cluster that is gone or another's", async () => {
    world.seen = undefined;
    assert.deepEqual(await world.pass(), { kind: "done" });
    assert.deepEqual(world.story, []);
  });

  test("fails when its intent could not be recorded, and no Event reports it", async () => {
    world.action = join;
    world.writeFailure = failure("conflict");
    await assert.rejects(world.pass(), { code: "conflict" });
    assert.deepEqual(world.story, ["act declare-join"]);
  });
});

describe("the next reconcile comes", () => {
  test("at once after an action, because there may be more to do", async () => {
    world.action = join;
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 0, why: "d comes next" });
  });

  test("a moment later when the same action seems to have had no effect", async () => {
    world.action = join;
    await world.pass();
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 1_000, why: "d comes next" });
    world.action = { ...join, name: "e", message: "e comes next" };
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 0, why: "e comes next" });
  });

  test("when etcd was not ready for the action, after the pause that it needs", async () => {
    world.action = join;
    world.act = async () => ({ kind: "postponed", why: "unhealthy cluster", retryMs: 500 });
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 500, why: "unhealthy cluster" });
  });

  test("with the next event when there is nothing to do", async () => {
    assert.deepEqual(await world.pass(), { kind: "wait", for: "all is well" });
    world.action = hold;
    assert.deepEqual(await world.pass(), { kind: "wait", for: "the user holds it" });
  });

  test("much later when there is nothing to do and nothing can go wrong unnoticed", async () => {
    world.isAtRest = true;
    assert.deepEqual(await world.pass(), { kind: "rest" });
    world.longestRestMs = 90_000;
    assert.deepEqual(await world.pass(), { kind: "rest", atMostMs: 90_000 });
    world.recheckMs = 200;
    assert.equal((await world.pass()).kind, "retry");
    world.recheckMs = undefined;
    world.action = hold;
    assert.equal((await world.pass()).kind, "wait");
  });

  test("when time is about to change something, the sooner of two", async () => {
    world.action = { ...hold, recheckAfterMs: 300 };
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 300, why: "the user holds it" });
    world.recheckMs = 200;
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 200, why: "the user holds it" });
    world.action = none;
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 200, why: "all is well" });
  });
});

describe("an action that fails", () => {
  test.each(["forbidden", "invalid"] as const)(
    "because of what only a person can fix (%s) is shown in the status, and fails the reconcile",
    async (code) => {
      world.action = join;
      world.act = async () => {
        throw failure(code);
      };
      await assert.rejects(world.pass(), { code });
      assert.deepEqual(world.story, ["act declare-join", "write", "tell ActionFailed"]);
      assert.match(String(world.written[0]?.reason), /^ActionFailed: d comes next; but POST pods failed: scripted/);
    },
  );

  // It used to leave the status alone: a previous Available=True stayed for as long as a webhook was in the way.
  test.each(["timeout", "unavailable", "too-many-requests", "unknown"] as const)(
    "because of what may pass by itself (%s) still brings the status up to what was seen, and fails the pass",
    async (code) => {
      world.action = join;
      world.act = async () => {
        throw failure(code);
      };
      await assert.rejects(world.pass(), { code });
      assert.deepEqual(world.story, ["act declare-join", "write", "tell ScalingUp"]);
      assert.match(String(world.written[0]?.reason), /^ScalingUp: d comes next; but POST pods failed: scripted/);
    },
  );

  test("is reported once it has lasted for ten seconds, and not after one that did not fail", async () => {
    world.action = join;
    const fails = async () => {
      world.act = async () => {
        throw failure("unavailable");
      };
      await assert.rejects(world.pass());
      return world.story.at(-1);
    };
    assert.equal(await fails(), "tell ScalingUp");
    await world.clock.advance(9_999);
    assert.equal(await fails(), "tell ScalingUp");
    await world.clock.advance(1);
    assert.equal(await fails(), "tell ActionFailed");
    world.act = async () => DONE;
    await world.pass();
    assert.equal(await fails(), "tell ScalingUp");
  });

  test.each(["conflict", "canceled"] as const)(
    "because another look comes or none (%s) leaves the status alone",
    async (code) => {
      world.act = async () => {
        throw failure(code);
      };
      await assert.rejects(world.pass(), { code });
      assert.deepEqual(world.story, ["act none"]);
    },
  );

  test("is reported while it hangs, and its result is written over that", async () => {
    let finish: (outcome: ActionOutcome) => void = () => undefined;
    world.action = join;
    world.act = () => new Promise((resolve) => (finish = resolve));
    const passing = world.pass();
    await world.clock.advance(4_999);
    assert.deepEqual(world.story, ["act declare-join"]);
    await world.clock.advance(1);
    assert.deepEqual(world.story, ["act declare-join", "write", "tell ScalingUp"]);
    assert.match(String(world.written[0]?.reason), /^ScalingUp: d comes next; but there was no answer for 5 s/);
    finish(DONE);
    await passing;
    assert.deepEqual(world.story.slice(3), ["write", "tell ScalingUp"]);
    assert.equal(world.versions[1], "written-1");
    assert.deepEqual(world.clock.pendingMs, []);
  });

  test("is the failure of the pass, also when the status cannot be written either", async () => {
    world.writeFailure = failure("unavailable");
    world.act = async () => {
      throw failure("forbidden");
    };
    await assert.rejects(world.pass(), { code: "forbidden" });
  });
});

describe("the log", () => {
  const said = () => world.lines.map(({ level, msg }) => `${level}: ${msg}`);

  test("has every action", async () => {
    world.action = join;
    await world.pass();
    await world.pass();
    assert.deepEqual(said(), ["info: d comes next", "info: d comes next"]);
  });

  test("has a hold once, and again when its reason changes", async () => {
    world.action = hold;
    await world.pass();
    await world.pass();
    world.action = none;
    await world.pass();
    world.action = hold;
    await world.pass();
    assert.deepEqual(said(), [
      "info: the user holds it",
      "debug: the user holds it",
      "info: all is well",
      "info: the user holds it",
    ]);
  });

  test("has an action that etcd is not ready for once", async () => {
    world.action = join;
    world.act = async () => ({ kind: "postponed", why: "unhealthy cluster", retryMs: 500 });
    await world.pass();
    await world.pass();
    assert.deepEqual(said(), ["info: d comes next", "debug: d comes next"]);
  });
});
