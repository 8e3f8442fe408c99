import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { afterAll, beforeAll, test } from "vitest";
import { RESTORE_UID_ANNOTATION } from "../../api/restore-request.ts";
import { RESTORE_ONCE, RESTORE_ONCE_ANNOTATION } from "../../transfer/names.ts";
import type { MemberToIdentify } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { CA_ANNOTATIONS } from "../tls/ca-annotations.ts";

const { pods, persistentVolumeClaims } = resources;
const RECORDED = { clusterID: "c1", incarnation: 1 };
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
const identify = (...members: readonly MemberToIdentify[]) =>
  ({ kind: "identify-members", clusterId: "c1", members }) as const;
let api: ApiUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterAll(() => api?.stop());

test("claims and pods say which members they hold, beside what else is written on them", async () => {
  const at = await api.aCluster(ON_CLAIMS, RECORDED);
  const [claim, pod, onlyPod] = [await at.aClaim("a"), await at.aPod("a"), await at.aPod("b")];
  const members = [
    { memberId: "abc", claim: objectId(claim), pod: objectId(pod) },
    { memberId: "def", pod: objectId(onlyPod) },
  ];
  assert.deepEqual(await at.act(await at.observe(), identify(...members)), { kind: "done" });
  const written = { [ANNOTATIONS.memberId]: "abc", [ANNOTATIONS.clusterId]: "c1" };
  const { metadata } = await at.there(persistentVolumeClaims, "a");
  assert.deepEqual(metadata.annotations, { ...claim.metadata.annotations, ...written });
  const onPod = (await at.there(pods, "a")).metadata.annotations ?? {};
  const told = {
    [ANNOTATIONS.initialCluster]: onPod[ANNOTATIONS.initialCluster],
    [ANNOTATIONS.initialClusterState]: "existing",
  };
  assert.deepEqual(onPod, { ...pod.metadata.annotations, ...written, ...told });
  assert.match(onPod[ANNOTATIONS.initialCluster] ?? "", /^a=http:\/\/a\.[^,]*:2380$/);
  assert.equal((await at.there(pods, "b")).metadata.annotations?.[ANNOTATIONS.memberId], "def");
});

test("a pod of coreos/etcd-operator notes the spec that it is taken over with: what is edited later reaches it too", async () => {
  const at = await api.aCluster({}, RECORDED);
  const [taken, own] = [await at.aPod("a"), await at.aPod("b")];
  const members = [
    { memberId: "abc", pod: objectId(taken), specHash: "v1:of-now" },
    { memberId: "def", pod: objectId(own) },
  ];
  assert.deepEqual(await at.act(await at.observe(), identify(...members)), { kind: "done" });
  const hashOf = async (name: string) => (await at.there(pods, name)).metadata.annotations?.[ANNOTATIONS.specHash];
  assert.equal(await hashOf("a"), "v1:of-now");
  assert.equal(await hashOf("b"), own.metadata.annotations?.[ANNOTATIONS.specHash]);
});

test("pods and claims of an earlier release get the notes that they lack, and keep those that they have", async () => {
  const at = await api.aCluster(ON_CLAIMS, RECORDED);
  const [claim, pod] = [await at.aClaim("a"), await at.aPod("a")];
  const notes = { claimHash: "v1:of-claim", ca: { peer: "p", server: undefined } };
  const member = { memberId: "abc", claim: objectId(claim), pod: objectId(pod), ...notes };
  assert.deepEqual(await at.act(await at.observe(), identify(member)), { kind: "done" });
  const onClaim = (await at.there(persistentVolumeClaims, "a")).metadata.annotations;
  const written = { [ANNOTATIONS.memberId]: "abc", [ANNOTATIONS.clusterId]: "c1" };
  assert.deepEqual(onClaim, { ...claim.metadata.annotations, ...written, [ANNOTATIONS.claimHash]: "v1:of-claim" });
  const onPod = (await at.there(pods, "a")).metadata.annotations ?? {};
  assert.equal(onPod[CA_ANNOTATIONS.peer], "p");
  assert.equal(CA_ANNOTATIONS.server in onPod, false);
  assert.equal(onPod[ANNOTATIONS.specHash], pod.metadata.annotations?.[ANNOTATIONS.specHash]);
  assert.equal(ANNOTATIONS.claimHash in onPod, false);
});

test("a pod whose note on its version was edited gets it corrected", async () => {
  const at = await api.aCluster({}, RECORDED);
  const { metadata } = await at.aPod("a", { memberId: "abc" });
  const { version } = ANNOTATIONS;
  const before = metadata.annotations?.[version];
  await at.client.patch(pods, metadata, { merge: { metadata: { annotations: { [version]: "3.5.99" } } } });
  const seen = await at.observe();
  const [pod] = seen.pods;
  assert.deepEqual([pod?.version, pod?.isVersionMisnoted], [before, true]);
  const member = { memberId: "abc", pod: objectId(await at.there(pods, "a")), version: pod?.version ?? "" };
  assert.deepEqual(await at.act(seen, identify(member)), { kind: "done" });
  assert.equal((await at.there(pods, "a")).metadata.annotations?.[version], before);
  assert.equal((await at.observe()).pods[0]?.isVersionMisnoted, undefined);
});

test("a pod is identified after its claim: one that returned to an unidentified claim could not be distinguished from a new one", async () => {
  const at = await api.aCluster(ON_CLAIMS, RECORDED);
  const [claim, pod] = [await at.aClaim("a"), await at.aPod("a")];
  await api.client.patch(persistentVolumeClaims, claim.metadata, { merge: { metadata: { labels: { x: "y" } } } });
  const member = { memberId: "abc", claim: objectId(claim), pod: objectId(pod) };
  assert.match(whyPostponed(await at.act(await at.observe(), identify(member))), /PVC a has changed/);
  assert.equal((await at.there(pods, "a")).metadata.annotations?.[ANNOTATIONS.memberId], undefined);
});

test("a pod that was recreated under the same name is not taken for the one that was asked", async () => {
  const at = await api.aCluster({}, RECORDED);
  const pod = objectId(await at.aPod("a"));
  await at.takeAway(pods, "a");
  assert.match(
    whyPostponed(await at.act(await at.observe(), identify({ memberId: "abc", pod }))),
    /Pod a does not exist any more/,
  );
  await at.aPod("a");
  assert.match(whyPostponed(await at.act(await at.observe(), identify({ memberId: "abc", pod }))), /Pod a has changed/);
  assert.equal((await at.there(pods, "a")).metadata.annotations?.[ANNOTATIONS.memberId], undefined);
});

test("what the kubelet wrote to a pod meanwhile is no reason to wait: a pod of the same UID holds the same member", async () => {
  const at = await api.aCluster({}, RECORDED);
  const pod = await at.aPod("a");
  await api.client.patch(pods, pod.metadata, { merge: { metadata: { labels: { x: "y" } } } });
  const member = { memberId: "abc", pod: objectId(pod) };
  assert.deepEqual(await at.act(await at.observe(), identify(member)), { kind: "done" });
  const { labels, annotations } = (await at.there(pods, "a")).metadata;
  assert.deepEqual([labels?.x, annotations?.[ANNOTATIONS.memberId]], ["y", "abc"]);
});

test("a restored member does not restore again once its identity is written", async () => {
  const at = await api.aCluster({}, RECORDED);
  const pod = await at.aPod("a");
  const annotations = { [RESTORE_UID_ANNOTATION]: "r1", ...RESTORE_ONCE };
  await api.client.patch(pods, pod.metadata, { merge: { metadata: { annotations } } });
  assert.deepEqual(await at.act(await at.observe(), identify({ memberId: "abc", pod: objectId(pod) })), {
    kind: "done",
  });
  const { metadata } = await at.there(pods, "a");
  assert.equal(metadata.annotations?.[ANNOTATIONS.memberId], "abc");
  assert.equal(metadata.annotations?.[RESTORE_ONCE_ANNOTATION], "--help");
});
