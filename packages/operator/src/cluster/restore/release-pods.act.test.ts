import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { ApiUnderTest, ETCD_WAITS, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { afterAll, beforeAll, test } from "vitest";
import type { ObjectId } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { pods } = resources;
const IMAGE = "example/etcd:v3.5.16";
const release = (...released: readonly ObjectId[]) =>
  ({ kind: "release-pods", pods: released.map((pod) => ({ pod, image: IMAGE })) }) as const;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

/** A cluster that is back, with a pod that was stopped. */
async function aClusterThatIsBack() {
  const at = await api.aCluster({}, inRestore("RolledBack", { clusterID: "c1" }));
  await at.aPod("a", { memberId: "a1", status: ETCD_WAITS });
  const annotations = { [ANNOTATIONS.fenced]: `${IMAGE} old` };
  const ref = { namespace: at.namespace, name: "a" };
  const pod = await api.client.patch(pods, ref, { merge: { metadata: { annotations } } });
  return { at, pod };
}

test("a pod that was stopped gets its image back, and is a pod like any other again", async () => {
  const { at, pod } = await aClusterThatIsBack();
  const seen = await at.observe();
  assert.equal(seen.pods[0]?.fencedImage, IMAGE);
  assert.deepEqual(await at.act(seen, release(objectId(pod))), { kind: "done" });
  const { metadata, spec } = await at.there(pods, "a");
  assert.equal(spec?.containers[0]?.image, IMAGE);
  assert.equal(metadata.annotations?.[ANNOTATIONS.fenced], undefined);
  assert.match(metadata.annotations?.[ANNOTATIONS.replacedContainer] ?? "", /^id /);
});

test("one that has it back already is left as it is", async () => {
  const { at, pod } = await aClusterThatIsBack();
  const seen = await at.observe();
  await at.act(seen, release(objectId(pod)));
  const first = await at.there(pods, "a");
  assert.deepEqual(await at.act(seen, release(objectId(pod))), { kind: "done" });
  assert.deepEqual(await at.there(pods, "a"), first);
});

test("no pod is released into another restore, nor under a name that is another's by now", async () => {
  const { at, pod } = await aClusterThatIsBack();
  const seen = await at.observe();
  const other = { ...objectId(pod), uid: "another" };
  assert.match(whyPostponed(await at.act(seen, release(other))), /Pod a does not exist any more/);
  await at.patchStatus(inRestore("Fencing"));
  assert.match(whyPostponed(await at.act(seen, release(objectId(pod)))), /new status/);
});
