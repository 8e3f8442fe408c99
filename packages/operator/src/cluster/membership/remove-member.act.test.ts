import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import type { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { leaving, type Scene, ScenesUnderTest } from "@etcd-operator/testing/cluster/scenes-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, describe, test, vi } from "vitest";
import type { ActionOutcome, Removal } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { persistentVolumeClaims } = resources;
let scenes: ScenesUnderTest;

beforeAll(async () => {
  scenes = await ScenesUnderTest.start();
});
afterAll(() => scenes?.stop());

async function remove(
  { at, etcd }: Scene,
  seen: Observation,
  name: string,
  because: Removal,
  id?: string,
): Promise<ActionOutcome> {
  const member = { name, id: id ?? (await etcd.idOf(name)) };
  return at.act(seen, { kind: "remove-member", member, because });
}

/** etcd refuses for a few seconds after its members have met. */
async function removed(...asked: Parameters<typeof remove>): Promise<void> {
  await until(async () => (await remove(...asked)).kind === "done", { what: `${asked[2]} to be removed` });
}

async function aFollower(etcd: EtcdUnderTest): Promise<string> {
  return (await etcd.leader()) === "b" ? "c" : "b";
}

describe.concurrent("a dead member", () => {
  test("is removed while a majority of the rest answers", async () => {
    await using scene = await scenes.running(["a", "b", "c"]);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    const seen = await at.observe();
    await removed(scene, seen, victim, "dead");
    assert.deepEqual(
      await etcd.names(),
      ["a", "b", "c"].filter((name) => name !== victim),
    );
  });

  test("that answers again stays", async () => {
    await using scene = await scenes.running(["a", "b", "c"]);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    const seen = await at.observe();
    await etcd.restart(victim);
    assert.match(whyPostponed(await remove(scene, seen, victim, "dead")), /it responds again/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });

  test("that is gone from the list has been removed", async () => {
    await using scene = await scenes.running(["a"]);
    const { at } = scene;
    assert.deepEqual(await remove(scene, await at.observe(), "b", "dead", "abc"), { kind: "done" });
  });

  test("is not removed by an operator that does not lead any more", async () => {
    await using scene = await scenes.running(["a", "b", "c"]);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    const seen = await at.observe();
    at.isLeading = false;
    await assert.rejects(remove(scene, seen, victim, "dead"), { code: "not-leading" });
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });
});

describe.concurrent("a cache that is behind costs no member its place (zookeeper-operator#312, cass-operator#412):", () => {
  const volumes = { pod: { persistentVolumeClaimSpec: { resources: { requests: { storage: "1Gi" } } } } };

  test("a member whose pod has changed since it was seen stays", async () => {
    await using scene = await scenes.running(["a", "b", "c"]);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    const seen = await at.observe();
    const { metadata } = await at.there(resources.pods, victim);
    await at.client.patchStatus(resources.pods, metadata, { merge: { status: { podIP: "10.0.0.9" } } });
    assert.match(whyPostponed(await remove(scene, seen, victim, "dead")), /has changed since it was read/);
    await removed(scene, await at.observe(), victim, "dead");
  });

  test("a member is removed whose pod is deleted with its data, however far the kubelet has got with that", async () => {
    await using scene = await scenes.running(["a", "b", "c"]);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    const { metadata } = await at.there(resources.pods, victim);
    await at.client.delete(resources.pods, metadata);
    const seen = await at.observe();
    await at.client.patchStatus(resources.pods, metadata, { merge: { status: { message: "it ends" } } });
    await removed(scene, seen, victim, "dead");
    assert.equal((await etcd.names()).includes(victim), false);
  });

  test("a member stays when another pod has replaced the one that was to be deleted", async () => {
    await using scene = await scenes.running(["a", "b", "c"]);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    await at.client.delete(resources.pods, (await at.there(resources.pods, victim)).metadata);
    const seen = await at.observe();
    await at.takeAway(resources.pods, victim);
    await at.aPod(victim);
    assert.match(whyPostponed(await remove(scene, seen, victim, "dead")), /has changed since it was read/);
  });

  test("a member whose pod is terminating stays when that has changed and its data is on a volume", async () => {
    await using scene = await scenes.running(["a", "b", "c"], volumes);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    const { metadata } = await at.there(resources.pods, victim);
    await at.client.delete(resources.pods, metadata);
    const seen = await at.observe();
    await at.client.patchStatus(resources.pods, metadata, { merge: { status: { message: "it ends" } } });
    assert.match(whyPostponed(await remove(scene, seen, victim, "dead")), /has changed since it was read/);
  });

  test("a member whose pod was not seen at all stays", async () => {
    await using scene = await scenes.running(["a", "b", "c"]);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await etcd.kill(victim);
    const seen = await at.observe();
    const withoutPod = { ...seen, pods: seen.pods.filter(({ name }) => name !== victim) };
    assert.match(whyPostponed(await remove(scene, withoutPod, victim, "dead")), /exists but is not in the cache yet/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });

  test("a member stays for a volume that was not seen, and which it can come back to", async () => {
    await using scene = await scenes.running(["a", "b", "c"], volumes);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    const memberId = await etcd.idOf(victim);
    await etcd.kill(victim);
    await at.takeAway(resources.pods, victim);
    const seen = await at.observe();
    await at.aClaim(victim, { [ANNOTATIONS.memberId]: memberId });
    assert.match(whyPostponed(await remove(scene, seen, victim, "dead")), /its PVC exists but is not in the cache yet/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
    await removed(scene, await at.observe(), victim, "dead");
  });

  test("a member is removed whose volume was deleted since it was observed, and stays while another one has its name", async () => {
    await using scene = await scenes.running(["a", "b", "c"], volumes);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await at.aClaim(victim, { [ANNOTATIONS.memberId]: await etcd.idOf(victim) });
    await etcd.kill(victim);
    await at.takeAway(resources.pods, victim);
    const seen = await at.observe();
    await at.takeAway(persistentVolumeClaims, victim);
    await at.aClaim(victim);
    assert.match(whyPostponed(await remove(scene, seen, victim, "dead")), /PVC . has changed since it was read/);
    await at.takeAway(persistentVolumeClaims, victim);
    await removed(scene, seen, victim, "dead");
    assert.equal((await etcd.names()).includes(victim), false);
  });

  test("a member stays for a volume that was not seen, also while what is left of its pod was", async () => {
    await using scene = await scenes.running(["a", "b", "c"], volumes);
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    const memberId = await etcd.idOf(victim);
    await etcd.kill(victim);
    const seen = await at.observe();
    await at.aClaim(victim, { [ANNOTATIONS.memberId]: memberId });
    assert.match(whyPostponed(await remove(scene, seen, victim, "dead")), /its PVC exists but is not in the cache yet/);
  });

  test("a member that was added stays when its pod was not seen", async () => {
    await using scene = await scenes.running(["a"]);
    const { at, etcd } = scene;
    const peerUrls = ["http://b.example.ns.svc:2380"];
    const { id } = await etcd.clientOf("a").addMember({ peerUrls, asLearner: true });
    const seen = await at.observe();
    await at.aPod("b", { phase: "pending" });
    const outcome = await remove(scene, seen, "b", "never-started", id.toString(16));
    assert.match(whyPostponed(outcome), /exists but is not in the cache yet/);
  });
});

describe.concurrent("a majority is never given away:", () => {
  test("a healthy voter stays when another one stopped answering since it was seen", async () => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const seen = await at.observe();
    const down = await aFollower(etcd);
    await etcd.kill(down);
    const victim = ["a", "b", "c"].find((name) => name !== down) ?? "";
    assert.match(whyPostponed(await remove(scene, seen, victim, "surplus")), /too few other voters respond/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });

  test("the only member stays", async () => {
    await using scene = await scenes.running(["a"]);
    const { at, etcd } = scene;
    assert.match(whyPostponed(await remove(scene, await at.observe(), "a", "dead")), /responds again/);
    assert.match(whyPostponed(await remove(scene, await at.observe(), "a", "surplus")), /no surplus member/);
    assert.deepEqual(await etcd.names(), ["a"]);
  });
});

describe.concurrent("stale scale-down after a scale-up (zookeeper#314)", () => {
  test("a member that the spec has room for again stays", async () => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const seen = await at.observe();
    await at.patchSpec({ size: 3 });
    assert.match(whyPostponed(await remove(scene, seen, "c", "surplus")), /EtcdCluster example has a new spec/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });

  test("a member stays when another one was removed already", async () => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const seen = await at.observe();
    const [first, second] = (await etcd.leader()) === "a" ? ["b", "c"] : ["b", "a"];
    await removed(scene, seen, first, "surplus");
    assert.match(whyPostponed(await remove(scene, seen, second, "surplus")), /no surplus member any more/);
    assert.equal((await etcd.names()).length, 2);
  });
});

describe.concurrent("the pod of a member that is one too many", () => {
  test("is deleted with it, so that the next can be removed", async () => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    await removed(scene, await at.observe(), victim, "surplus");
    assert.deepEqual(await leaving(at), [victim]);
  });

  test("is deleted though the kubelet has written to it since it was seen", async () => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    const seen = await at.observe();
    const { metadata } = await at.there(resources.pods, victim);
    await at.client.patchStatus(resources.pods, metadata, { merge: { status: { message: "busy" } } });
    await removed(scene, seen, victim, "surplus");
    assert.deepEqual(await leaving(at), [victim]);
  });

  test.each([
    ["does not say that it holds that member", { [ANNOTATIONS.memberId]: "abc" }],
    ["says that it holds a member of another cluster", { [ANNOTATIONS.clusterId]: "c2" }],
  ])("stays for a closer look when it %s", async (_, annotations) => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    const { metadata } = await at.there(resources.pods, victim);
    await at.client.patch(resources.pods, metadata, { merge: { metadata: { annotations } } });
    await removed(scene, await at.observe(), victim, "surplus");
    assert.deepEqual(await leaving(at), []);
  });

  test("stays while its member does", async () => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const seen = await at.observe();
    const down = await aFollower(etcd);
    await etcd.kill(down);
    const victim = ["a", "b", "c"].find((name) => name !== down) ?? "";
    assert.match(whyPostponed(await remove(scene, seen, victim, "surplus")), /too few other voters respond/);
    assert.deepEqual(await leaving(at), []);
  });
});

// By itself, for what it does to the client that all of them share.
describe("the pod that the kubelet writes to", () => {
  test("is deleted also at that moment, when its etcd has ended", async () => {
    await using scene = await scenes.running(["a", "b", "c"], { size: 2 });
    const { at, etcd } = scene;
    const victim = await aFollower(etcd);
    const seen = await at.observe();
    const { metadata } = await at.there(resources.pods, victim);
    const remove = at.client.delete.bind(at.client);
    const deletion = vi.spyOn(at.client, "delete").mockImplementationOnce(async (...asked) => {
      await at.client.patchStatus(resources.pods, metadata, { merge: { status: { message: "it has ended" } } });
      return remove(...asked);
    });
    await removed(scene, seen, victim, "surplus");
    assert.equal(deletion.mock.calls.length, 1);
    deletion.mockRestore();
    assert.deepEqual(await leaving(at), [victim]);
  });
});

describe.concurrent("a member that never started", () => {
  const url = "http://ghost.example.ns.svc:2380";

  test("is removed by the id that its URL was found under", async () => {
    await using scene = await scenes.running(["a"]);
    const { at, etcd } = scene;
    const { id } = await etcd.clientOf("a").addMember({ peerUrls: [url], asLearner: true });
    const seen = await at.observe();
    const outcome = await remove(scene, seen, "other", "never-started", id.toString(16));
    assert.match(whyPostponed(outcome), /is ghost, not other/);
    assert.deepEqual(await remove(scene, seen, "ghost", "never-started", id.toString(16)), { kind: "done" });
    assert.deepEqual(await etcd.names(), ["a"]);
  });

  test("stays if it has started meanwhile", async () => {
    await using scene = await scenes.running(["a"]);
    const { at, etcd } = scene;
    await etcd.join("b");
    assert.match(whyPostponed(await remove(scene, await at.observe(), "b", "never-started")), /it has started/);
    assert.deepEqual(await etcd.names(), ["a", "b"]);
  });
});
