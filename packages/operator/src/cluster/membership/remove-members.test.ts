import assert from "node:assert/strict";
import { leaving, ScenesUnderTest } from "@etcd-operator/testing/cluster/scenes-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test, vi } from "vitest";
import type { ActionOutcome } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";

let scenes: ScenesUnderTest;

beforeAll(async () => {
  scenes = await ScenesUnderTest.start();
});
afterAll(() => scenes?.stop());

// One after another: an election in the middle of it, for lack of a processor, would be another story.
describe("several members that are too many", () => {
  /** The members that "a" leads; "a" is asked about them. */
  async function ledByA(names: readonly string[], size: number) {
    const scene = await scenes.running(names, { size });
    const { at, etcd } = scene;
    const [leading, id] = [await etcd.leader(), await etcd.idOf("a")];
    if (leading !== "a") await etcd.clientOf(leading).moveLeader(BigInt(`0x${id}`));
    const ids = new Map(await Promise.all(names.map(async (name) => [name, await etcd.idOf(name)] as const)));
    const memberOf = (name = "") => ({ name, id: ids.get(name) ?? "" });
    const removeAll = (seen: Observation, first: string, ...others: readonly string[]) =>
      at.act(seen, {
        kind: "remove-member",
        ...{ member: memberOf(first), others: others.map(memberOf), because: "surplus" },
      });
    return { ...scene, removeAll };
  }

  /** etcd refuses for a few seconds after its members have met. */
  const untilDone = (remove: () => Promise<ActionOutcome>) =>
    until(
      async () => {
        const outcome = await remove();
        return outcome.kind === "done" && outcome;
      },
      { what: "the first to go" },
    );

  test("go one after the other, with their pods", async () => {
    await using scene = await ledByA(["a", "b", "c"], 1);
    const { at, etcd, removeAll } = scene;
    const seen = await at.observe();
    assert.deepEqual(await untilDone(() => removeAll(seen, "b", "c")), { kind: "done" });
    assert.deepEqual(await etcd.names(), ["a"]);
    assert.deepEqual([...(await leaving(at))].sort(), ["b", "c"]);
  });

  test("stay from the first on without whom too few would answer", async () => {
    await using scene = await ledByA(["a", "b", "c", "d"], 1);
    const { at, etcd, removeAll } = scene;
    const [seen, goes] = [await at.observe(), BigInt(`0x${await etcd.idOf("c")}`)];
    await etcd.kill("b");
    const asked = vi.spyOn(etcd.clientOf("a"), "removeMember");
    assert.deepEqual(await untilDone(() => removeAll(seen, "c", "d")), { kind: "done", spared: 1 });
    assert.deepEqual([...new Set(asked.mock.calls.map(([id]) => id))], [goes], "etcd was not even asked for the other");
    assert.deepEqual(await etcd.names(), ["a", "b", "d"]);
  });

  test("are reported as far as they were removed when the next cannot be removed", async () => {
    await using scene = await ledByA(["a", "b", "c"], 1);
    const { at, etcd, removeAll } = scene;
    const [seen, stays] = [await at.observe(), BigInt(`0x${await etcd.idOf("c")}`)];
    const client = etcd.clientOf("a");
    const remove = client.removeMember.bind(client);
    vi.spyOn(client, "removeMember").mockImplementation(async (id, options) => {
      if (id === stays) throw new Error("no answer");
      return remove(id, options);
    });
    assert.deepEqual(await untilDone(() => removeAll(seen, "b", "c")), { kind: "done", spared: 1 });
    assert.deepEqual(await etcd.names(), ["a", "c"]);
  });

  test("stay when there are none too many any more", async () => {
    await using scene = await ledByA(["a", "b", "c"], 2);
    const { at, etcd, removeAll } = scene;
    const seen = await at.observe();
    assert.deepEqual(await untilDone(() => removeAll(seen, "b", "c")), { kind: "done", spared: 1 });
    assert.deepEqual(await etcd.names(), ["a", "c"]);
  });

  test("go down from five to three by what they have just answered", async () => {
    await using scene = await ledByA(["a", "b", "c", "d", "e"], 3);
    const { at, etcd, removeAll } = scene;
    const asked = vi.spyOn(etcd.clientOf("b"), "status");
    const outcome = await untilDone(async () => {
      // Just now, however busy the machine is.
      const seen = await at.observe({ askedAtMs: Number.POSITIVE_INFINITY });
      asked.mockClear();
      return removeAll(seen, "d", "e");
    });
    assert.deepEqual(outcome, { kind: "done" });
    assert.equal(asked.mock.calls.length, 0, "b was asked again");
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
    assert.deepEqual([...(await leaving(at))].sort(), ["d", "e"]);
  });
});
