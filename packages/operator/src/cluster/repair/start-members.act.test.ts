import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { inRestore } from "@etcd-operator/testing/cluster/a-restore.ts";
import { ApiUnderTest, objectId, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import type { EtcdClusterStatus } from "../../api/etcd-cluster.ts";
import { formatLogReached, type LogReached, parseLogReached } from "../guard/log-reached.ts";
import type { MemberToStart } from "../model/action.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { pods, persistentVolumeClaims } = resources;
const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };
const start = (...members: readonly MemberToStart[]) => ({ kind: "start-members", members }) as const;
let api: ApiUnderTest;
let etcd: EtcdUnderTest | undefined;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterEach(async () => {
  await etcd?.stop();
  etcd = undefined;
});
afterAll(() => api?.stop());

describe("a restored member", () => {
  const DECLARED = inRestore("Restoring", {
    incarnation: 2,
    memberIntents: [{ name: "new", incarnation: 2, purpose: "Seed" }],
  });
  const restored: MemberToStart = {
    name: "new",
    version: "3.5.16",
    incarnation: 2,
    start: { kind: "restored", token: "token", revisionBump: 1_000, restoreUid: "r1" },
  };

  test("gets its claim, its pod, and the Secret that the pod waits for and that is deleted with it", async () => {
    const at = await api.aCluster(ON_CLAIMS, DECLARED);
    assert.deepEqual(await at.act(await at.observe(), start(restored)), { kind: "done" });
    const { metadata, spec } = await at.there(pods, "new");
    assert.deepEqual(
      spec?.initContainers?.map(({ name }) => name),
      ["receive", "restore", "guard"],
    );
    assert.ok(await at.get(persistentVolumeClaims, "new"));
    const secret = await at.there(resources.secrets, "new-transfer");
    assert.deepEqual(
      secret.metadata.ownerReferences?.map(({ kind, uid }) => [kind, uid]),
      [["Pod", metadata.uid]],
    );
    assert.deepEqual(Object.keys(secret.data ?? {}).sort(), ["tls.crt", "tls.key", "token"]);
  });

  test("gets its Secret in another try, and keeps the one that it has", async () => {
    const at = await api.aCluster({}, DECLARED);
    const seen = await at.observe();
    await at.act(seen, start(restored));
    const [pod, secret] = [await at.there(pods, "new"), await at.there(resources.secrets, "new-transfer")];
    assert.deepEqual(await at.act(seen, start(restored)), { kind: "done" });
    assert.deepEqual(await at.there(resources.secrets, "new-transfer"), secret);
    await at.takeAway(resources.secrets, "new-transfer");
    assert.deepEqual(await at.act(seen, start(restored)), { kind: "done" });
    assert.equal(
      (await at.there(resources.secrets, "new-transfer")).metadata.ownerReferences?.[0]?.uid,
      pod.metadata.uid,
    );
    assert.deepEqual(await at.there(pods, "new"), pod);
  });

  test("is not made while a member of the cluster before may run, though no cache shows it", async () => {
    const at = await api.aCluster({}, DECLARED);
    const seen = await at.observe();
    await at.aPod("old", { memberId: "a1" });
    assert.match(
      whyPostponed(await at.act(seen, start(restored))),
      /waiting for old, a member of the previous cluster, to stop/,
    );
    assert.equal(await at.get(pods, "new"), undefined);
  });

  test("is not made when it is not declared, nor beside a recorded cluster", async () => {
    const at = await api.aCluster({}, { ...DECLARED, memberIntents: [] });
    assert.match(whyPostponed(await at.act(await at.observe(), start(restored))), /not declared/);
    const recorded = await api.aCluster({}, { ...DECLARED, ...inRestore("Joining"), clusterID: "c2" });
    assert.match(whyPostponed(await recorded.act(await recorded.observe(), start(restored))), /etcd cluster c2 exists/);
  });
});

describe("an initial member", () => {
  const DECLARED: EtcdClusterStatus = {
    incarnation: 1,
    memberIntents: [
      { name: "a", incarnation: 1, purpose: "Seed" },
      { name: "b", incarnation: 1, purpose: "Seed" },
    ],
  };
  const seed = (name: string): MemberToStart => ({
    name,
    version: "3.5.16",
    incarnation: 1,
    start: { kind: "seed", token: "token", peers: [] },
  });

  test("gets its claim and its pod, and all initial members do at once", async () => {
    const at = await api.aCluster(ON_CLAIMS, DECLARED);
    assert.deepEqual(await at.act(await at.observe(), start(seed("a"), seed("b"))), { kind: "done" });
    const { metadata, spec } = await at.there(pods, "a");
    assert.equal(metadata.annotations?.[ANNOTATIONS.memberId], undefined);
    assert.ok(spec?.containers[0]?.command?.includes("--initial-cluster-token=token"));
    assert.ok(await at.get(persistentVolumeClaims, "b"));
  });

  test("that an earlier try has made is left as it is", async () => {
    const at = await api.aCluster(ON_CLAIMS, DECLARED);
    const seen = await at.observe();
    await at.act(seen, start(seed("a")));
    const first = await at.there(pods, "a");
    assert.deepEqual(await at.act(seen, start(seed("a"), seed("b"))), { kind: "done" });
    assert.deepEqual(await at.there(pods, "a"), first);
  });

  test("is not made when it was not declared, or only for another incarnation", async () => {
    const at = await api.aCluster({}, DECLARED);
    const seen = await at.observe();
    assert.match(whyPostponed(await at.act(seen, start(seed("c")))), /c is not declared/);
    assert.match(whyPostponed(await at.act(seen, start({ ...seed("a"), incarnation: 2 }))), /a is not declared/);
    assert.equal(await at.get(pods, "a"), undefined);
  });

  test("is never made beside a cluster that is recorded, whether it was seen or not", async () => {
    const at = await api.aCluster({}, DECLARED);
    const before = await at.observe();
    await at.patchStatus({ clusterID: "c1" });
    assert.match(whyPostponed(await at.act(before, start(seed("a")))), /has a new status/);
    assert.match(whyPostponed(await at.act(await at.observe(), start(seed("a")))), /not bootstrapping/);
    assert.equal(await at.get(pods, "a"), undefined);
  });

  test("does not take over a pod or a claim of another owner", async () => {
    const at = await api.aCluster(ON_CLAIMS, DECLARED);
    const containers = [{ name: "c", image: "i" }];
    await api.client.create(pods, { metadata: { namespace: at.namespace, name: "a" }, spec: { containers } });
    await at.aClaim("b", { [ANNOTATIONS.clusterUid]: "another" });
    const seen = await at.observe();
    assert.match(whyPostponed(await at.act(seen, start(seed("a")))), /Pod a exists and belongs to another owner/);
    await assert.rejects(at.act(seen, start(seed("b"))), { code: "name-taken", message: /PVC b was not created/ });
    assert.equal(await at.get(pods, "b"), undefined);
  });
});

describe("a member that was added", () => {
  const joining: MemberToStart = {
    name: "new",
    version: "3.5.16",
    incarnation: 1,
    start: { kind: "joining", clusterId: "c1", peers: [{ name: "a", peerUrl: "http://outdated:1" }] },
  };

  test("gets the list of members as it is now; a frozen list would be a crash loop (cozystack#336)", async () => {
    etcd = await EtcdUnderTest.start("3.5.16", "a");
    const clusterId = await etcd.clusterId();
    const at = await api.aCluster({}, { clusterID: clusterId, incarnation: 1 });
    await at.runs(etcd);
    const { peerUrl } = memberAddresses(await at.cluster(), "new");
    const added = start({ ...joining, start: { kind: "joining", clusterId, peers: [] } });
    assert.match(whyPostponed(await at.act(await at.observe(), added)), /new is not in the member list/);
    await etcd.clientOf("a").addMember({ peerUrls: [peerUrl], asLearner: true });
    assert.deepEqual(await at.act(await at.observe(), added), { kind: "done" });
    const { annotations = {} } = (await at.there(pods, "new")).metadata;
    assert.equal(annotations[ANNOTATIONS.initialCluster], `a=${await etcd.peerUrlOf("a")},new=${peerUrl}`);
  });

  test("as the second voter gets its pod without a majority, which waits for it", async () => {
    etcd = await EtcdUnderTest.start("3.3.25", "a");
    const clusterId = await etcd.clusterId();
    const at = await api.aCluster({}, { clusterID: clusterId, incarnation: 1 });
    await at.runs(etcd);
    const { peerUrl } = memberAddresses(await at.cluster(), "new");
    await etcd.clientOf("a").addMember({ peerUrls: [peerUrl], asLearner: false });
    const seen = await at.observe();
    assert.equal(seen.membership.kind, "unconfirmed");
    const added = start({ ...joining, version: "3.3.25", start: { kind: "joining", clusterId, peers: [] } });
    assert.deepEqual(await at.act(seen, added), { kind: "done" });
    assert.ok(await at.get(pods, "new"));
  });

  test("of another cluster than the recorded one is not started", async () => {
    const at = await api.aCluster({}, { clusterID: "c2", incarnation: 1 });
    assert.match(whyPostponed(await at.act(await at.observe(), start(joining))), /belongs to cluster c1/);
  });
});

interface GivenReturn {
  readonly kind?: "confirmed" | "unconfirmed";
  readonly isLearner?: boolean;
  readonly version?: string;
}

describe("a member that comes back", () => {
  const IDENTIFIED = { [ANNOTATIONS.memberId]: "abc", [ANNOTATIONS.clusterId]: "c1" };
  const RECORDED: EtcdClusterStatus = { clusterID: "c1", incarnation: 1 };
  const returning = (claim?: MemberToStart["claim"]): MemberToStart => ({
    name: "a",
    version: "3.5.16",
    incarnation: 1,
    start: { kind: "returning", clusterId: "c1", memberId: "abc" },
    ...(claim && { claim }),
  });

  test("returns as itself to its own volume", async () => {
    const at = await api.aCluster(ON_CLAIMS, RECORDED);
    const claim = objectId(await at.aClaim("a", IDENTIFIED));
    assert.deepEqual(await at.act(await at.observe(), start(returning(claim))), { kind: "done" });
    const { metadata, spec } = await at.there(pods, "a");
    assert.equal(metadata.annotations?.[ANNOTATIONS.memberId], "abc");
    assert.equal(spec?.volumes?.[0]?.persistentVolumeClaim?.claimName, "a");
  });

  test.each([
    ["is open to clients when its probes find it ready, if a majority knows it as a voter", {}, "open"],
    ["stays closed to clients as a learner", { isLearner: true }, "closed"],
    ["stays closed to clients while no majority vouches for it", { kind: "unconfirmed" }, "closed"],
    [
      "stays closed to clients until it is seen to serve, where its probes cannot tell",
      { version: "3.4.23" },
      "closed",
    ],
  ] as const)("%s", async (_, given, gate) => {
    const { kind = "confirmed", isLearner = false, version = "3.5.16" } = given as GivenReturn;
    const at = await api.aCluster({ ...ON_CLAIMS, version }, RECORDED);
    const claim = objectId(await at.aClaim("a", IDENTIFIED));
    const members = [{ id: "abc", name: "a", peerUrls: ["http://a.example.ns.svc:2380"], isLearner }];
    const seen = await at.observe({ membership: { kind, members } });
    assert.deepEqual(await at.act(seen, start({ ...returning(claim), version })), { kind: "done" });
    assert.equal((await at.observe()).pods[0]?.gate, gate);
  });

  test("gets its log position from the claim or from memory; not when the note was removed", async () => {
    const [older, newer] = [10, 20].map((index) => ({ term: 2, index, revision: index, at: "2030-01-01T00:00:00Z" }));
    const toldOf = async (onClaim: LogReached | undefined, remembered: LogReached | undefined) => {
      const at = await api.aCluster(ON_CLAIMS, RECORDED);
      const note = onClaim ? { [ANNOTATIONS.logReached]: formatLogReached(onClaim) } : {};
      const claim = objectId(await at.aClaim("a", { ...IDENTIFIED, ...note }));
      const member = { ...returning(claim), ...(remembered && { logReached: remembered }) };
      await at.act(await at.observe(), start(member));
      return parseLogReached((await at.there(pods, "a")).metadata.annotations?.[ANNOTATIONS.logReached] ?? "");
    };
    assert.deepEqual(await toldOf(older, newer), newer);
    assert.deepEqual(await toldOf(newer, older), newer);
    assert.deepEqual(await toldOf(older, undefined), older);
    assert.equal(await toldOf(undefined, newer), undefined);
  });

  test("returns to its volume also when the spec does not ask for volumes any more", async () => {
    const at = await api.aCluster(ON_CLAIMS, RECORDED);
    const claim = objectId(await at.aClaim("a", IDENTIFIED));
    await at.patchSpec({ pod: null });
    assert.deepEqual(await at.act(await at.observe(), start(returning(claim))), { kind: "done" });
    assert.equal((await at.there(pods, "a")).spec?.volumes?.[0]?.persistentVolumeClaim?.claimName, "a");
  });

  test("waits until its former pod is gone", async () => {
    const at = await api.aCluster(ON_CLAIMS, RECORDED);
    const claim = objectId(await at.aClaim("a", IDENTIFIED));
    const seen = await at.observe();
    const { metadata } = await at.aPod("a", { memberId: "abc" });
    assert.match(whyPostponed(await at.act(seen, start(returning(claim)))), /Pod a still exists/);
    assert.equal((await at.there(pods, "a")).metadata.uid, metadata.uid);
  });

  test("does not return beside its own pod, whose labels were edited, and says what to do", async () => {
    const at = await api.aCluster(ON_CLAIMS, RECORDED);
    const claim = objectId(await at.aClaim("a", IDENTIFIED));
    const seen = await at.observe();
    const { metadata } = await at.aPod("a", { memberId: "abc" });
    await at.client.patch(pods, metadata, { merge: { metadata: { labels: { etcd_cluster: null } } } });
    const outcome = await at.act(seen, start(returning(claim)));
    assert.match(whyPostponed(outcome), /Pod a lacks the labels of its cluster: restore the labels, or delete the pod/);
    assert.ok(outcome.kind === "postponed" && outcome.retryMs >= 1_000);
  });

  test("does not return to a volume that was recreated under the same name", async () => {
    const at = await api.aCluster(ON_CLAIMS, RECORDED);
    const { metadata } = await at.aClaim("a", IDENTIFIED);
    await at.takeAway(persistentVolumeClaims, "a");
    await at.aClaim("a", IDENTIFIED);
    const seen = await at.observe();
    const outcome = await at.act(seen, start(returning(objectId({ ...(await at.cluster()), metadata }))));
    assert.match(whyPostponed(outcome), /PVC a was replaced since it was read/);
    assert.match(whyPostponed(await at.act(seen, start(returning()))), /PVC a was replaced since it was read/);
    assert.equal(await at.get(pods, "a"), undefined);
  });

  test("does not return to a volume that holds another member", async () => {
    const at = await api.aCluster(ON_CLAIMS, RECORDED);
    const claim = objectId(await at.aClaim("a", { ...IDENTIFIED, [ANNOTATIONS.memberId]: "def" }));
    assert.match(whyPostponed(await at.act(await at.observe(), start(returning(claim)))), /does not hold member abc/);
  });
});
