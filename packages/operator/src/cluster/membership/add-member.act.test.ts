import assert from "node:assert/strict";
import { EtcdError } from "@etcd-operator/etcd-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, type ClusterUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, describe, test, vi } from "vitest";
import { memberAddresses } from "../../api/cluster/cluster-names.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { pods, persistentVolumeClaims, serviceAccounts } = resources;
const ADD = { kind: "add-member", name: "new", asLearner: true, version: "3.5.16" } as const;
let api: ApiUnderTest;
let etcd: EtcdUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterEach(() => etcd?.stop());
afterAll(() => api?.stop());

/** A cluster whose members run, and which has declared that "new" is next. */
async function running(version: string, names: readonly string[], spec: object = {}): Promise<ClusterUnderTest> {
  etcd = await EtcdUnderTest.start(version, ...names);
  const at = await api.aCluster(spec, {
    clusterID: await etcd.clusterId(),
    incarnation: 1,
    memberIntents: [{ name: "new", incarnation: 1, purpose: "Join" }],
  });
  await at.runs(etcd);
  return at;
}

async function peerUrlOfNew(at: ClusterUnderTest): Promise<string> {
  return memberAddresses(await at.cluster(), "new").peerUrl;
}

describe("a declared member", () => {
  test("is added as a learner, and its pod gets exactly the members in the list", async () => {
    const at = await running("3.5.16", ["a"], { pod: { persistentVolumeClaimSpec: A_CLAIM } });
    assert.deepEqual(await at.act(await at.observe(), ADD), { kind: "done" });
    const added = (await etcd.list()).find(({ name }) => name === "");
    assert.deepEqual([added?.name, added?.isLearner, added?.peerUrls], ["", true, [await peerUrlOfNew(at)]]);
    const { metadata } = await at.there(pods, "new");
    const told = metadata.annotations ?? {};
    assert.equal(told[ANNOTATIONS.initialCluster], `a=${await etcd.peerUrlOf("a")},new=${await peerUrlOfNew(at)}`);
    assert.equal(told[ANNOTATIONS.initialClusterState], "existing");
    assert.equal(metadata.annotations?.[ANNOTATIONS.clusterId], await etcd.clusterId());
    const claim = await at.there(persistentVolumeClaims, "new");
    assert.equal(claim.metadata.annotations?.[ANNOTATIONS.clusterUid], (await at.cluster()).metadata.uid);
  });

  test("is added through another voter where the first refuses for a peer that only it considers inactive", async () => {
    const at = await running("3.5.16", ["a", "b", "c"]);
    const refused = new EtcdError("unhealthy-cluster", {
      operation: "addMember",
      endpoint: "leader",
      reason: "unhealthy",
    });
    vi.spyOn(etcd.clientOf(await etcd.leader()), "addMember").mockRejectedValue(refused);
    const act = async () => (await at.act(await at.observe(), ADD)).kind === "done";
    // Until the others have been connected for as long as etcd requires.
    await until(act, { what: "the member to be added", everyMs: 500 });
    assert.ok((await etcd.list()).some(({ name, isLearner }) => name === "" && isLearner));
    const told = (await at.there(pods, "new")).metadata.annotations?.[ANNOTATIONS.initialCluster];
    assert.match(told ?? "", /new=/);
  });

  test("is not added while no voter considers all its peers active", async () => {
    const at = await running("3.5.16", ["a", "b", "c"]);
    const refused = new EtcdError("unhealthy-cluster", {
      operation: "addMember",
      endpoint: "any",
      reason: "unhealthy",
    });
    for (const client of etcd.clients.values()) vi.spyOn(client, "addMember").mockRejectedValue(refused);
    assert.match(whyPostponed(await at.act(await at.observe(), ADD)), /unhealthy/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });

  test("is not added while the operator does not lead", async () => {
    const at = await running("3.5.16", ["a"]);
    const seen = await at.observe();
    at.isLeading = false;
    await assert.rejects(at.act(seen, ADD), { code: "not-leading" });
    assert.deepEqual(await etcd.names(), ["a"]);
  });

  test("is not added while another one has not started, nor to other members than were seen", async () => {
    const at = await running("3.5.16", ["a"]);
    const seen = await at.observe();
    const url = "http://another.example:2380";
    const { id } = await etcd.clientOf("a").addMember({ peerUrls: [url], asLearner: true });
    assert.match(whyPostponed(await at.act(await at.observe(), ADD)), /has not started yet/);
    await etcd.clientOf("a").removeMember(id);
    await etcd.join("b");
    assert.match(whyPostponed(await at.act(seen, ADD)), /the members have changed since they were read/);
    assert.match(whyPostponed(await at.act(await at.observe(), ADD)), /b is still a learner/);
    assert.deepEqual(await etcd.names(), ["a", "b"]);
  });

  test("is not added to whatever cluster answers in place of the recorded one", async () => {
    const at = await running("3.5.16", ["a"]);
    const seen = await at.observe();
    const other = await EtcdUnderTest.start("3.5.16", "a");
    at.etcd.set("a", other.clientOf("a"));
    await assert.rejects(at.act(seen, ADD), { code: "wrong-cluster" });
    assert.deepEqual(await other.names(), ["a"]);
    await other.stop();
  });
});

describe("ghost member after a timed-out MemberAdd (coreos#2148)", () => {
  test("an add without an answer fails the pass, and the next one finds the member by its URL", async () => {
    const at = await running("3.5.16", ["a"]);
    const real = etcd.clientOf("a");
    const addMember: typeof real.addMember = async (...asked) => {
      await real.addMember(...asked);
      throw new EtcdError("deadline", { operation: "addMember", endpoint: real.endpoint, reason: "no answer in time" });
    };
    at.etcd.set("a", { ...real, addMember });
    await assert.rejects(at.act(await at.observe(), ADD), { code: "deadline" });
    assert.equal(await at.get(pods, "new"), undefined);

    assert.deepEqual(await at.act(await at.observe(), ADD), { kind: "done" });
    assert.deepEqual(await etcd.names(), ["a", `unstarted ${await peerUrlOfNew(at)}`]);
    assert.ok(await at.get(pods, "new"));
  });

  test("one that has started before does not start again with nothing", async () => {
    const at = await running("3.5.16", ["a"]);
    await etcd.join("new");
    assert.match(whyPostponed(await at.act(await at.observe(), ADD)), /new has started before/);
    assert.equal(await at.get(pods, "new"), undefined);
  });
});

describe("fresh child, stale CR (percona-xtradb PR#986)", () => {
  const changes: Record<string, (at: ClusterUnderTest) => Promise<unknown>> = {
    "is paused": (at) => at.patchSpec({ paused: true }),
    "has a new spec": (at) => at.patchSpec({ size: 1 }),
    "has a new status": (at) => at.patchStatus({ memberIntents: [] }),
    "does not exist any more": (at) => api.client.delete(ownResources.etcdClusters, at),
    "was deleted and created again": async (at) => {
      await api.client.delete(ownResources.etcdClusters, at);
      await at.create();
    },
  };
  test.each(Object.entries(changes))("no member joins a cluster that %s", async (expected, change) => {
    const at = await running("3.5.16", ["a"]);
    const seen = await at.observe();
    await change(at);
    assert.match(whyPostponed(await at.act(seen, ADD)), new RegExp(expected));
    assert.deepEqual(await etcd.names(), ["a"]);
    assert.equal(await at.get(pods, "new"), undefined);
  });
});

describe("PVC reused after scale-down and up (zookeeper#517)", () => {
  const claims = [
    ["holds the data of member abc", { [ANNOTATIONS.memberId]: "abc" }, 1],
    ["was not created for this cluster", { [ANNOTATIONS.clusterUid]: "another" }, 1],
    ["is of another incarnation", {}, 2],
  ] as const;
  test.each(claims)("a claim that %s is never given to a new member", async (expected, annotations, incarnation) => {
    const at = await running("3.5.16", ["a"], { pod: { persistentVolumeClaimSpec: A_CLAIM } });
    await at.aClaim("new", annotations, incarnation);
    const adding = at.act(await at.observe(), ADD);
    await assert.rejects(adding, { code: "name-taken", message: new RegExp(expected) });
    assert.deepEqual(await etcd.names(), ["a"]);
    assert.equal(await at.get(pods, "new"), undefined);
  });

  test("a claim from an earlier try of the same member is taken", async () => {
    const at = await running("3.5.16", ["a"], { pod: { persistentVolumeClaimSpec: A_CLAIM } });
    const { metadata } = await at.aClaim("new");
    assert.deepEqual(await at.act(await at.observe(), ADD), { kind: "done" });
    assert.equal((await at.there(persistentVolumeClaims, "new")).metadata.uid, metadata.uid);
  });
});

describe("where there are no learners", () => {
  const VOTER = { ...ADD, asLearner: false, version: "3.3.25" } as const;

  test("no member is added as one, because it would join as a voter", async () => {
    const at = await running("3.3.25", ["a"]);
    assert.match(whyPostponed(await at.act(await at.observe(), ADD)), /a does not support learners/);
    assert.deepEqual(await etcd.names(), ["a"]);
  });

  test("the second voter gets its pod, though no majority answers until it has started", async () => {
    const at = await running("3.3.25", ["a"]);
    assert.deepEqual(await at.act(await at.observe(), VOTER), { kind: "done" });
    assert.equal((await etcd.list()).length, 2);
    const { metadata } = await at.there(pods, "new");
    assert.match(metadata.annotations?.[ANNOTATIONS.initialCluster] ?? "", /^a=http:[^,]+,new=http:/);
  });

  test("no member is added whose pod the API server would refuse: the cluster would wait for it for ever", async () => {
    const at = await running("3.3.25", ["a"]);
    await api.client.delete(serviceAccounts, { namespace: at.namespace, name: "default" });
    await assert.rejects(at.act(await at.observe(), VOTER), { code: "forbidden" });
    assert.deepEqual(await etcd.names(), ["a"]);
  });

  test("no member is added that would cost quorum by never starting", async () => {
    const at = await running("3.3.25", ["a", "b", "c"]);
    const seen = await at.observe();
    await etcd.kill((await etcd.leader()) === "c" ? "b" : "c");
    await etcd.leader();
    assert.match(whyPostponed(await at.act(seen, VOTER)), /quorum would be lost if it never started/);
    assert.deepEqual(await etcd.names(), ["a", "b", "c"]);
  });
});
