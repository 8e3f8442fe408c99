import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { afterAll, beforeAll, test } from "vitest";
import type { PodToPatch } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { appliedKeys, metadataPatch } from "../objects/pod/pod-metadata.ts";

const { pods } = resources;
const patch = (...patched: readonly PodToPatch[]) => ({ kind: "patch-pods", pods: patched }) as const;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("labels and annotations come and go, and all others stay", async () => {
  const at = await api.aCluster({ pod: { labels: { team: "a", tier: "x" }, annotations: { note: "b" } } });
  const before = await at.aPod("a");
  const { labels = {}, annotations = {} } = before.metadata;
  const applied = appliedKeys(annotations[ANNOTATIONS.podMetadata]);
  await at.patchSpec({ pod: { labels: { team: "c", tier: null }, annotations: { note: null, other: "d" } } });
  const { spec } = await at.cluster();
  const changes = metadataPatch({ labels, annotations, applied }, spec);
  assert.ok(changes);
  const seen = await at.observe();
  assert.deepEqual(await at.act(seen, patch({ pod: objectId(before), ...changes })), { kind: "done" });
  const { metadata, spec: podSpec } = await at.there(pods, "a");
  const { tier: _, ...kept } = labels;
  const { note: __, ...keptNotes } = annotations;
  const record = changes.annotations[ANNOTATIONS.podMetadata];
  assert.deepEqual(metadata.labels, { ...kept, team: "c" });
  assert.deepEqual(metadata.annotations, { ...keptNotes, other: "d", [ANNOTATIONS.podMetadata]: record });
  assert.deepEqual(podSpec, before.spec);
});

test("a pod that has changed since it was seen is checked again, and the others are patched all the same", async () => {
  const at = await api.aCluster();
  const [changed, other] = [await at.aPod("a"), await at.aPod("b")];
  await api.client.patch(pods, changed.metadata, { merge: { metadata: { labels: { x: "y" } } } });
  const to = (pod: typeof changed) => ({ pod: objectId(pod), labels: { team: "a" }, annotations: {} });
  const outcome = await at.act(await at.observe(), patch(to(changed), to(other)));
  assert.match(whyPostponed(outcome), /Pod a has changed/);
  assert.equal((await at.there(pods, "a")).metadata.labels?.team, undefined);
  assert.equal((await at.there(pods, "b")).metadata.labels?.team, "a");
});

test("labels of a spec that is not the newest any more are put on no pod", async () => {
  const at = await api.aCluster({ pod: { labels: { team: "a" } } });
  const pod = await at.aPod("a");
  const seen = await at.observe();
  await at.patchSpec({ pod: { labels: { team: "b" } } });
  const outcome = await at.act(seen, patch({ pod: objectId(pod), labels: { team: "x" }, annotations: {} }));
  assert.match(whyPostponed(outcome), /EtcdCluster example has a new spec/);
  assert.equal((await at.there(pods, "a")).metadata.labels?.team, "a");
});

test("a pod that is gone, or recreated under the same name, is not patched", async () => {
  const at = await api.aCluster();
  const gone = { pod: objectId(await at.aPod("a")), labels: { team: "a" }, annotations: {} };
  await at.takeAway(pods, "a");
  assert.match(whyPostponed(await at.act(await at.observe(), patch(gone))), /Pod a does not exist any more/);
  await at.aPod("a");
  assert.match(whyPostponed(await at.act(await at.observe(), patch(gone))), /Pod a has changed/);
});
