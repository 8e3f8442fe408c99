import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { ApiUnderTest, ETCD_RUNS, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { afterAll, beforeAll, describe, test, vi } from "vitest";
import type { ObjectId } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { pods, persistentVolumeClaims } = resources;
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
const IMAGE = "quay.io/coreos/etcd:v3.5.16";
const fence = (toDelete: readonly ObjectId[], toStop: readonly ObjectId[]) =>
  ({ kind: "fence-pods", toDelete, toStop }) as const;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

describe("a member of the cluster before whose data is on its claim", () => {
  test("loses its pod and keeps the claim", async () => {
    const at = await api.aCluster(ON_CLAIMS, inRestore("Fencing"));
    const [pod, claim] = [await at.aPod("a", { memberId: "a1" }), await at.aClaim("a")];
    assert.deepEqual(await at.act(await at.observe(), fence([objectId(pod)], [])), { kind: "done" });
    assert.ok((await at.get(pods, "a"))?.metadata.deletionTimestamp);
    assert.deepEqual(await at.there(persistentVolumeClaims, "a"), claim);
  });

  test("keeps its pod when the claim was deleted since: it would be removed with it", async () => {
    const at = await api.aCluster(ON_CLAIMS, inRestore("Fencing"));
    const [pod] = [await at.aPod("a", { memberId: "a1" }), await at.aClaim("a")];
    const seen = await at.observe();
    await at.takeAway(persistentVolumeClaims, "a");
    assert.match(whyPostponed(await at.act(seen, fence([objectId(pod)], []))), /its PVC would be deleted with it/);
    assert.equal((await at.there(pods, "a")).metadata.deletionTimestamp, undefined);
  });

  test("is left alone when its pod is another one by now", async () => {
    const at = await api.aCluster(ON_CLAIMS, inRestore("Fencing"));
    const [pod] = [await at.aPod("a", { memberId: "a1" }), await at.aClaim("a")];
    const seen = await at.observe();
    await at.takeAway(pods, "a");
    await at.aPod("a", { memberId: "a1" });
    assert.match(whyPostponed(await at.act(seen, fence([objectId(pod)], []))), /has changed since it was read/);
  });
});

describe("a member of the cluster before whose data is in its pod", () => {
  test("gets an image without etcd; and its pod records what it had, and which container has to end", async () => {
    const at = await api.aCluster({}, inRestore("Fencing"));
    const pod = await at.aPod("a", {
      memberId: "a1",
      status: ETCD_RUNS,
      sidecars: [{ name: "proxy", image: "proxy" }],
    });
    const seen = await at.observe();
    assert.equal(seen.setAside.pods[0]?.mayRun, true);
    assert.deepEqual(await at.act(seen, fence([], [objectId(pod)])), { kind: "done" });
    const { metadata, spec } = await at.there(pods, "a");
    assert.deepEqual(
      spec?.containers.map(({ name, image }) => [name, image]),
      [
        ["etcd", "guard"],
        ["proxy", "proxy"],
      ],
    );
    assert.equal(metadata.uid, pod.metadata.uid);
    assert.equal(metadata.annotations?.[ANNOTATIONS.fenced], `${IMAGE} id  etcd guard`);
    const [stopped] = (await at.observe()).setAside.pods;
    assert.deepEqual([stopped?.fencedImage, stopped?.mayRun], [IMAGE, true]);
  });

  test("is not stopped twice, so that its image is not forgotten", async () => {
    const at = await api.aCluster({}, inRestore("Fencing"));
    const pod = await at.aPod("a", { memberId: "a1", status: ETCD_RUNS });
    const seen = await at.observe();
    await at.act(seen, fence([], [objectId(pod)]));
    const first = await at.there(pods, "a");
    assert.deepEqual(await at.act(seen, fence([], [objectId(pod)])), { kind: "done" });
    assert.deepEqual(await at.there(pods, "a"), first);
  });

  test("is stopped also when its kubelet wrote to the pod meanwhile", async () => {
    const at = await api.aCluster({}, inRestore("Fencing"));
    const pod = await at.aPod("a", { memberId: "a1" });
    const seen = await at.observe();
    await api.client.patchStatus(pods, pod.metadata, { merge: { status: ETCD_RUNS } });
    assert.deepEqual(await at.act(seen, fence([], [objectId(pod)])), { kind: "done" });
    assert.equal((await at.there(pods, "a")).metadata.annotations?.[ANNOTATIONS.fenced], `${IMAGE} id  etcd guard`);
  });

  test("is stopped again when it got its etcd image back; its first image is what it gets back", async () => {
    const at = await api.aCluster({}, inRestore("Fencing"));
    const pod = await at.aPod("a", { memberId: "a1", status: ETCD_RUNS });
    await at.act(await at.observe(), fence([], [objectId(pod)]));
    const containers = [{ name: "etcd", image: "mirror.example/etcd:v3.5.16" }];
    await api.client.patch(pods, pod.metadata, { strategic: { spec: { containers } } });
    const seen = await at.observe();
    assert.deepEqual(
      seen.setAside.pods.map(({ mayRun, hasEtcdAgain, fencedImage }) => [mayRun, hasEtcdAgain, fencedImage]),
      [[true, true, IMAGE]],
    );
    assert.deepEqual(await at.act(seen, fence([], [objectId(pod)])), { kind: "done" });
    const { metadata, spec } = await at.there(pods, "a");
    assert.equal(spec?.containers[0]?.image, "guard");
    assert.equal(metadata.annotations?.[ANNOTATIONS.fenced], `${IMAGE} id  etcd guard`);
  });

  test("that admission gives its etcd back in the same patch is reported as undone, with what to do about it", async () => {
    const at = await api.aCluster({}, inRestore("Fencing"));
    const pod = await at.aPod("a", { memberId: "a1", status: ETCD_RUNS });
    const seen = await at.observe();
    const patch = api.client.patch.bind(api.client);
    vi.spyOn(api.client, "patch").mockImplementationOnce(async (resource, ref, changes, options) => {
      await patch(resource, ref, changes, options);
      const containers = [{ name: "etcd", image: "mirror.example/etcd:v3.5.16" }];
      return patch(resource, { namespace: at.namespace, name: "a" }, { strategic: { spec: { containers } } });
    });
    const outcome = await at.act(seen, fence([], [objectId(pod)]));
    assert.ok(outcome.kind === "postponed" && outcome.isUndone);
    assert.match(outcome.why, /^exclude Pod a from webhooks that change images, or delete the pod/);
  });

  test("of the restored cluster is never stopped, whatever was planned", async () => {
    const at = await api.aCluster({}, inRestore("Fencing"));
    const pod = await at.aPod("new", { incarnation: 2 });
    const outcome = await at.act(await at.observe(), fence([], [objectId(pod)]));
    assert.match(whyPostponed(outcome), /was replaced by another one/);
    assert.deepEqual(await at.there(pods, "new"), pod);
  });
});

test("no member is stopped for a restore that was cancelled since", async () => {
  const at = await api.aCluster({}, inRestore("Fencing"));
  const pod = await at.aPod("a", { memberId: "a1" });
  const seen = await at.observe();
  await at.patchStatus(inRestore("RollingBack"));
  assert.match(whyPostponed(await at.act(seen, fence([], [objectId(pod)]))), /new status/);
});
