import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { afterAll, beforeAll, test } from "vitest";
import { formatLogReached } from "../guard/log-reached.ts";
import type { LogToNote } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { pods, persistentVolumeClaims } = resources;
const reached = { term: 2, index: 120, revision: 100, at: "2030-01-01T00:00:00Z" };
const note = (...logs: readonly LogToNote[]) => ({ kind: "record-logs", logs }) as const;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("claims and pods say how far the log has got, also when another client wrote to them meanwhile", async () => {
  const at = await api.aCluster({ pod: { persistentVolumeClaimSpec: A_CLAIM } }, { clusterID: "c1", incarnation: 1 });
  const [claim, pod] = [objectId(await at.aClaim("a")), objectId(await at.aPod("a"))];
  const action = note({ reached, claim: { ...claim, resourceVersion: "1" }, pod: { ...pod, resourceVersion: "1" } });
  assert.deepEqual(await at.act(await at.observe(), action), { kind: "done" });
  for (const { metadata } of [await at.there(persistentVolumeClaims, "a"), await at.there(pods, "a")]) {
    assert.equal(metadata.annotations?.[ANNOTATIONS.logReached], formatLogReached(reached));
  }
});

test("nothing is written on another pod of the same name", async () => {
  const at = await api.aCluster({}, { clusterID: "c1", incarnation: 1 });
  const pod = objectId(await at.aPod("a"));
  const action = note({ reached, pod: { ...pod, uid: "another" } });
  assert.match(whyPostponed(await at.act(await at.observe(), action)), /has changed/);
  assert.equal((await at.there(pods, "a")).metadata.annotations?.[ANNOTATIONS.logReached], undefined);
});
