import assert from "node:assert/strict";
import { asked, inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { ApiUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { afterAll, beforeAll, test } from "vitest";
import { restoreRequestOf } from "../../api/restore-request.ts";
import { ownResources } from "../../objects/own-resources.ts";

const { etcdClusters } = ownResources;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

async function aClusterThatIsDone() {
  const at = await api.aCluster({}, inRestore("Done"));
  const ref = { namespace: at.namespace, name: at.name };
  const ask = (uid: string) => api.client.patch(etcdClusters, ref, { merge: { metadata: asked({ uid }) } });
  const requestNow = async () => restoreRequestOf((await at.there(etcdClusters, at.name)).metadata);
  await ask("restore-uid");
  const request = await requestNow();
  assert.ok(request);
  return { at, ask, requestNow, action: { kind: "note-done", request: { ...request, isDone: true } } as const };
}

test("that it was done is written on the request, which stays what it was", async () => {
  const { at, requestNow, action } = await aClusterThatIsDone();
  assert.deepEqual(await at.act(await at.observe(), action), { kind: "done" });
  assert.deepEqual(await requestNow(), action.request);
});

test("a newer request is not reported as done", async () => {
  const { at, ask, requestNow, action } = await aClusterThatIsDone();
  const seen = await at.observe();
  await ask("another");
  assert.match(whyPostponed(await at.act(seen, action)), /has changed since it was read/);
  assert.deepEqual([(await requestNow())?.uid, (await requestNow())?.isDone], ["another", undefined]);
});
