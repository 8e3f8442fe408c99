import assert from "node:assert/strict";
import { anObservation } from "@etcd-operator/testing/cluster/an-observation.ts";
import { DONE, failure, join, none, World } from "@etcd-operator/testing/cluster/world-of-one.ts";
import { beforeEach, describe, test } from "vitest";
import type { Action, ActionOutcome } from "./action.ts";

let world: World;
beforeEach(() => {
  world = new World();
});

describe("an action that comes to nothing", () => {
  let number = 0;
  const other = (): Action => {
    number += 1;
    return { kind: "forget-intents", names: [`x${number}`], reason: "WaitingForMembers", message: "something else" };
  };
  const acted = () => world.story.filter((line) => line.startsWith("act ")).map((line) => line.slice(4));
  const passes = async (count: number) => {
    world.story.length = 0;
    for (let passed = 0; passed < count; passed += 1) await world.pass().catch(() => undefined);
    return acted();
  };

  const undone = (why: string) => async (): Promise<ActionOutcome> =>
    world.story.at(-1) === "act declare-join" ? { kind: "postponed", why, retryMs: 2_000, isUndone: true } : DONE;

  beforeEach(() => {
    world.action = join;
    world.behind = other;
    world.isPassable = true;
  });

  test("because it has no effect is passed over after the second time, and tried again after a growing while", async () => {
    assert.deepEqual(await passes(4), ["declare-join", "declare-join", "forget-intents", "forget-intents"]);
    await world.clock.advance(2_000);
    assert.deepEqual(await passes(3), ["declare-join", "forget-intents", "forget-intents"]);
    await world.clock.advance(3_999);
    assert.deepEqual(await passes(1), ["forget-intents"]);
    await world.clock.advance(1);
    assert.deepEqual(await passes(2), ["declare-join", "forget-intents"]);
  });

  test("because it fails is passed over after the second time", async () => {
    world.act = async () => {
      if (world.story.at(-1) === "act declare-join") throw failure("forbidden");
      return DONE;
    };
    assert.deepEqual(await passes(3), ["declare-join", "declare-join", "forget-intents"]);
  });

  test("because etcd refuses it is passed over when that has gone on for ten seconds", async () => {
    world.act = async () =>
      world.story.at(-1) === "act declare-join" ? { kind: "postponed", why: "learner not ready", retryMs: 100 } : DONE;
    assert.deepEqual(await passes(3), ["declare-join", "declare-join", "declare-join"]);
    await world.clock.advance(9_999);
    assert.deepEqual(await passes(1), ["declare-join"]);
    await world.clock.advance(1);
    assert.deepEqual(await passes(2), ["declare-join", "forget-intents"]);
  });

  test("because another client undoes it, and makes some of its writes conflict, is passed over all the same", async () => {
    let times = 0;
    world.act = async () => {
      times += 1;
      return times % 2 === 0 ? { kind: "postponed", why: "it has changed since it was seen", retryMs: 100 } : DONE;
    };
    assert.deepEqual(await passes(4), ["declare-join", "declare-join", "declare-join", "forget-intents"]);
  });

  test("and may not be passed over is waited for instead, and not done hotly", async () => {
    world.isPassable = false;
    await passes(2);
    assert.deepEqual(await world.pass(), {
      kind: "retry",
      afterMs: 2_000,
      why: "d comes next; it had no effect, retrying with increasing delay",
    });
    assert.deepEqual(acted(), ["declare-join", "declare-join", "hold"]);
  });

  test("because its answer shows that it did not stay is repeated with growing pauses, however many events wake the reconcile", async () => {
    world.isPassable = false;
    world.act = undone("admission changed it back");
    const times: number[] = [];
    for (let tenths = 0; tenths < 1_400; tenths += 1) {
      if ((await passes(1)).includes("declare-join")) times.push(tenths / 10);
      await world.clock.advance(100);
    }
    assert.deepEqual(times, [0, 2, 6, 14, 30, 62, 122]);
  });

  test("because its answer shows that it did not stay says why, and what to do, while it is waited for", async () => {
    world.isPassable = false;
    world.act = undone("let webhooks leave it as it is");
    await passes(1);
    assert.deepEqual(await world.pass(), {
      kind: "retry",
      afterMs: 2_000,
      why: "d comes next; let webhooks leave it as it is, retrying with increasing delay",
    });
    assert.ok(world.story.includes("tell ActionStalled"));
  });

  test("is reported once in the log and as an Event, while it lasts", async () => {
    await passes(2);
    await passes(3);
    assert.deepEqual(
      world.story.filter((line) => line === "tell ActionStalled"),
      ["tell ActionStalled"],
    );
    const lines = world.lines.filter(({ msg }) => msg.includes("no effect"));
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ["d comes next: it had no effect; retrying with increasing delay"],
    );
  });

  test("is checked again in time, though nothing else happens", async () => {
    world.behind = () => none;
    world.isAtRest = true;
    await passes(2);
    assert.deepEqual(await world.pass(), { kind: "retry", afterMs: 2_000, why: "all is well" });
  });

  test("is tried at once when the spec is edited", async () => {
    const seen = anObservation();
    const { metadata } = seen.cluster;
    await passes(3);
    world.seen = { ...seen, cluster: { ...seen.cluster, metadata: { ...metadata, generation: 99 } } };
    assert.deepEqual(await passes(1), ["declare-join"]);
  });

  test("does not count any more once it is not planned", async () => {
    await passes(3);
    world.action = none;
    await passes(1);
    await world.clock.advance(12_000);
    await passes(1);
    world.action = join;
    assert.deepEqual(await passes(2), ["declare-join", "declare-join"]);
  });

  test("because others undo it each time is done ever more seldom", async () => {
    world.behind = () => none;
    let done = 0;
    for (let second = 0; second < 60; second += 1) {
      world.action = join;
      done += (await passes(1)).filter((kind) => kind === "declare-join").length;
      world.action = none;
      await passes(1);
      await world.clock.advance(1_000);
    }
    assert.ok(done <= 9, `${done} times in a minute`);
  });
});
