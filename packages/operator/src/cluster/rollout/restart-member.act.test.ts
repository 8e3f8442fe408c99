import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import {
  ApiUnderTest,
  type ClusterUnderTest,
  ETCD_RUNS,
  ETCD_WAITS,
  type PodGiven,
  whyPostponed,
} from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { canObtain } from "@etcd-operator/testing/etcd/can-obtain.ts";
import { titleWith } from "@etcd-operator/testing/skipped.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import type { ActionOutcome, RestartMember } from "../model/action.ts";
import type { Observation } from "../model/observation.ts";
import { idOf } from "../model/situation.ts";
import { ANNOTATIONS, VOTER_CONDITION } from "../objects/annotations.ts";

const { pods, persistentVolumeClaims } = resources;
const IMAGE = { kind: "image", image: "registry.example/etcd:v3.5.30", version: "3.5.30" } as const;
const lack36 = !(await canObtain("3.6.16")) && "etcd 3.6.16 cannot be had here";
let api: ApiUnderTest;
let etcd: EtcdUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterEach(() => etcd?.stop());
afterAll(() => api?.stop());

const ON_CLAIMS = { pod: { persistentVolumeClaimSpec: A_CLAIM } };

interface Given extends PodGiven {
  readonly version?: string;
  readonly spec?: object;
}

/** A cluster in whose pods etcd runs, as the kubelet says. */
async function running(names: readonly string[], { version = "3.5.16", spec = {}, ...pod }: Given = {}) {
  etcd = await EtcdUnderTest.start(version, ...names);
  const at = await api.aCluster(spec, { clusterID: await etcd.clusterId(), incarnation: 1 });
  await at.runs(etcd, { status: ETCD_RUNS, ...pod });
  return at;
}

/** Restarts a member of whom this was seen. */
async function restart(
  at: ClusterUnderTest,
  seen: Observation,
  name: string,
  more: Partial<RestartMember> = {},
): Promise<ActionOutcome> {
  const pod = seen.pods.find((each) => each.name === name);
  assert.ok(pod);
  return at.act(seen, {
    kind: "restart-member",
    member: { name, id: pod.memberId ?? "" },
    pod: idOf(pod),
    change: IMAGE,
    leavesMinor: undefined,
    goesBackTo: undefined,
    costsMajority: false,
    ...more,
  });
}

async function imageOf(at: ClusterUnderTest, name: string): Promise<string | undefined> {
  const { spec } = await at.there(pods, name);
  return spec?.containers.find((container) => container.name === "etcd")?.image;
}

const ADMITTED = { type: VOTER_CONDITION, status: "True" };

async function gateOf(at: ClusterUnderTest, name: string): Promise<string | undefined> {
  const { status } = await at.there(pods, name);
  return status?.conditions?.find(({ type }) => type === VOTER_CONDITION)?.status;
}

async function holdingMember(name: string): Promise<Record<string, string>> {
  return { [ANNOTATIONS.memberId]: await etcd.idOf(name) };
}

async function aFollower(): Promise<string> {
  return (await etcd.leader()) === "b" ? "c" : "b";
}

describe("a member that can be spared", () => {
  test("gets another image, and nothing else in its pod changes", async () => {
    const sidecars = [{ name: "injected", image: "registry.example/proxy:v1" }];
    const at = await running(["a", "b", "c"], { sidecars });
    const before = await at.there(pods, "b");
    assert.deepEqual(await restart(at, await at.observe(), "b"), { kind: "done" });
    const { metadata, spec } = await at.there(pods, "b");
    const [container, ...others] = spec?.containers ?? [];
    const [containerBefore, ...othersBefore] = before.spec?.containers ?? [];
    assert.deepEqual({ ...container, image: "" }, { ...containerBefore, image: "" });
    assert.deepEqual([container?.image, others], [IMAGE.image, othersBefore]);
    assert.deepEqual(spec?.initContainers, before.spec?.initContainers);
    const written = {
      [ANNOTATIONS.version]: "3.5.30",
      [ANNOTATIONS.replacedContainer]: `id ${containerBefore?.image}`,
      [ANNOTATIONS.askedImage]: IMAGE.image,
    };
    assert.deepEqual(metadata.annotations, { ...before.metadata.annotations, ...written });
    const seen = (await at.observe()).pods.filter(({ awaitsNewImage }) => awaitsNewImage);
    assert.deepEqual(
      seen.map(({ name }) => name),
      ["b"],
    );
    assert.equal(await imageOf(at, "a"), containerBefore?.image);
  });

  test("is closed to clients and to the disruption budget before it gets another image", async () => {
    const at = await running(["a", "b", "c"], { status: { ...ETCD_RUNS, conditions: [ADMITTED] } });
    assert.equal(await gateOf(at, "b"), "True");
    assert.deepEqual(await restart(at, await at.observe(), "b"), { kind: "done" });
    assert.deepEqual([await gateOf(at, "b"), await imageOf(at, "b")], ["False", IMAGE.image]);
    assert.equal(await gateOf(at, "a"), "True");
  });

  test("is open again when the API server refuses the image", async () => {
    const at = await running(["a", "b", "c"], { status: { ...ETCD_RUNS, conditions: [ADMITTED] } });
    const image = { ...IMAGE, image: " not an image" };
    await assert.rejects(restart(at, await at.observe(), "b", { change: image }), { code: "invalid" });
    assert.equal(await gateOf(at, "b"), "True");
  });

  test("is not taken down for a pod that the API server refuses", async () => {
    const at = await running(["a", "b", "c"], { spec: ON_CLAIMS });
    await at.aClaim("b", await holdingMember("b"));
    const seen = await at.observe();
    const pod = { ...seen.cluster.spec.pod, affinity: { nodeAffinity: "text" } } as object;
    const cluster = { ...seen.cluster, spec: { ...seen.cluster.spec, pod } };
    await assert.rejects(restart(at, { ...seen, cluster }, "b", { change: { kind: "pod" } }), { code: "invalid" });
    assert.equal((await at.there(pods, "b")).metadata.deletionTimestamp, undefined);
  });

  test("loses its pod for another one on the same volume", async () => {
    const at = await running(["a", "b", "c"], { spec: ON_CLAIMS });
    const claim = await at.aClaim("b", await holdingMember("b"));
    assert.deepEqual(await restart(at, await at.observe(), "b", { change: { kind: "pod" } }), { kind: "done" });
    const pod = await at.get(pods, "b");
    assert.ok(pod === undefined || pod.metadata.deletionTimestamp);
    const { metadata } = await at.there(persistentVolumeClaims, "b");
    assert.deepEqual([metadata.uid, metadata.annotations], [claim.metadata.uid, claim.metadata.annotations]);
  });

  test("keeps its pod when its claim is being deleted, or holds another: the pod would take the data along", async () => {
    const at = await running(["a", "b", "c"], { spec: ON_CLAIMS });
    const toRestart = async () => whyPostponed(await restart(at, await at.observe(), "b", { change: { kind: "pod" } }));
    assert.match(await toRestart(), /its PVC does not exist/);
    const { metadata } = await at.aClaim("b", await holdingMember("c"));
    assert.match(await toRestart(), /its PVC does not exist/);
    const merge = { metadata: { annotations: await holdingMember("b"), finalizers: ["kubernetes.io/pvc-protection"] } };
    await api.client.patch(persistentVolumeClaims, metadata, { merge });
    await api.client.delete(persistentVolumeClaims, metadata);
    assert.match(await toRestart(), /its PVC does not exist/);
    assert.equal((await at.there(pods, "b")).metadata.deletionTimestamp, undefined);
    await api.client.patch(persistentVolumeClaims, metadata, { merge: { metadata: { finalizers: null } } });
  });

  test("comes back with another version, if its claim says so before its pod is deleted", async () => {
    const at = await running(["a", "b", "c"], { spec: ON_CLAIMS });
    const { metadata } = await at.aClaim("b", await holdingMember("b"));
    const change = { kind: "pod", returnsWith: { from: "3.6.16", to: "3.7.3" } } as const;
    const stale = await at.observe();
    await api.client.patch(persistentVolumeClaims, metadata, { merge: { metadata: { labels: { x: "y" } } } });
    assert.match(whyPostponed(await restart(at, stale, "b", { change })), /PVC b has changed/);
    assert.equal((await at.there(pods, "b")).metadata.deletionTimestamp, undefined);
    assert.deepEqual(await restart(at, await at.observe(), "b", { change }), { kind: "done" });
    const [claim] = (await at.observe()).claims;
    assert.deepEqual(claim?.returnsWith, change.returnsWith);
  });

  test("is not restarted by an operator that does not lead any more", async () => {
    const at = await running(["a", "b", "c"]);
    const seen = await at.observe();
    at.isLeading = false;
    await assert.rejects(restart(at, seen, "b"), { code: "not-leading" });
  });
});

describe("a healthy pod rolled while another is down (druid DEP-07):", () => {
  test("a member is left alone when another one stopped answering since it was seen", async () => {
    const at = await running(["a", "b", "c"]);
    const seen = await at.observe();
    const [down, next] = (await aFollower()) === "b" ? ["b", "c"] : ["c", "b"];
    await etcd.kill(down);
    const image = await imageOf(at, next);
    assert.equal(
      whyPostponed(await restart(at, seen, next)),
      `not restarting ${next}: ${down} does not respond, or is about to stop`,
    );
    assert.equal(await imageOf(at, next), image);
  });

  test("one of two is left alone though there were three when it was planned", async () => {
    const at = await running(["a", "b", "c"]);
    const seen = await at.observe();
    const [removed, next] = (await aFollower()) === "b" ? ["b", "c"] : ["c", "b"];
    const id = BigInt(`0x${await etcd.idOf(removed)}`);
    await until(
      async () =>
        await etcd
          .clientOf("a")
          .removeMember(id)
          .then(() => true),
      { what: "the removal" },
    );
    assert.match(whyPostponed(await restart(at, seen, next)), /there is no quorum without it/);
  });

  test("the only one is restarted if that was meant", async () => {
    const at = await running(["a"], { spec: { size: 1 } });
    assert.match(whyPostponed(await restart(at, await at.observe(), "a")), /there is no quorum without it/);
    assert.deepEqual(await restart(at, await at.observe(), "a", { costsMajority: true }), { kind: "done" });
  });
});

describe("what has changed since it was seen", () => {
  test("is checked again: the pod, whatever is to be done to it", async () => {
    const at = await running(["a", "b", "c"], { spec: ON_CLAIMS });
    await at.aClaim("b", await holdingMember("b"));
    const seen = await at.observe();
    await api.client.patch(pods, (await at.there(pods, "b")).metadata, { merge: { metadata: { labels: { x: "y" } } } });
    assert.match(whyPostponed(await restart(at, seen, "b")), /Pod b has changed/);
    assert.match(whyPostponed(await restart(at, seen, "b", { change: { kind: "pod" } })), /Pod b has changed/);
    assert.equal((await at.there(pods, "b")).metadata.deletionTimestamp, undefined);
  });

  test("is checked again: the spec", async () => {
    const at = await running(["a"]);
    const seen = await at.observe();
    await at.patchSpec({ version: "3.5.17" });
    assert.match(whyPostponed(await restart(at, seen, "a", { costsMajority: true })), /has a new spec/);
  });

  test("is checked again: the member's identity", async () => {
    const at = await running(["a", "b", "c"]);
    const other = { name: "b", id: await etcd.idOf("a") };
    assert.match(whyPostponed(await restart(at, await at.observe(), "b", { member: other })), /is not b any more/);
  });

  test("is checked again: a member that was down and answers again gets nothing that it does not need", async () => {
    const at = await running(["a", "b", "c"]);
    const follower = await aFollower();
    await etcd.kill(follower);
    const seen = await at.observe();
    await etcd.restart(follower);
    assert.match(whyPostponed(await restart(at, seen, follower)), /it responds again/);
  });
});

describe("a member in whose pod nothing runs", () => {
  test("gets its image though there is no majority", async () => {
    const at = await running(["a", "b", "c"], { status: ETCD_WAITS });
    await etcd.kill("b");
    await etcd.kill("c");
    assert.deepEqual(await restart(at, await at.observe(), "b"), { kind: "done" });
    assert.equal(await imageOf(at, "b"), IMAGE.image);
  });

  test("does not lead the others out of their minor unasked", async () => {
    const at = await running(["a", "b", "c"], { status: ETCD_WAITS, spec: ON_CLAIMS });
    const follower = await aFollower();
    await at.aClaim(follower, await holdingMember(follower));
    await etcd.kill(follower);
    const asked = whyPostponed(await restart(at, await at.observe(), follower, { leavesMinor: "3.5" }));
    assert.match(asked, new RegExp(`${follower} has to run 3\\.5 first`));
    const other = ["a", "b", "c"].find((name) => name !== follower) ?? "";
    await etcd.kill(other);
    const why = whyPostponed(await restart(at, await at.observe(), follower, { leavesMinor: "3.5" }));
    assert.match(why, /no voter that could list the members responds/);
    const change = { kind: "pod", returnsWith: { from: "3.5.16", to: "3.6.16" } } as const;
    const outcome = await restart(at, await at.observe(), follower, { leavesMinor: "3.5", change });
    assert.deepEqual(outcome, { kind: "done" }, "another pod leaves nothing if it comes back with the same version");
    assert.equal((await at.observe()).claims[0]?.returnsWith, undefined);
  });

  test("is taken for one that runs when its pod has changed: etcd may run in it by now", async () => {
    const at = await running(["a", "b", "c"], { status: ETCD_WAITS });
    const seen = await at.observe();
    const down = await aFollower();
    await etcd.kill(down);
    const up = down === "b" ? "c" : "b";
    await api.client.patchStatus(pods, (await at.there(pods, up)).metadata, { merge: { status: ETCD_RUNS } });
    assert.match(whyPostponed(await restart(at, seen, up)), /does not respond/);
  });
});

describe("an older minor", () => {
  test.skipIf(lack36)(
    titleWith("is given to a member when etcd has brought its data down, and not before: it would die of it", lack36),
    async () => {
      const at = await running(["a"], { version: "3.6.16" });
      const back = { costsMajority: true, goesBackTo: "3.5" };
      await etcd.clientOf("a").downgrade("enable", "3.5");
      const seen = await at.observe();
      const why = whyPostponed(await restart(at, seen, "a", back));
      assert.equal(why, "waiting for etcd to downgrade the data of a from 3.6 to 3.5");
      await until(async () => (await restart(at, seen, "a", back)).kind === "done", { what: "the data to be down" });
      assert.match((await etcd.clientOf("a").status()).storageVersion ?? "", /^3\.5/);
    },
  );

  test("needs no such check before 3.6, which does not report the version of its data", async () => {
    const at = await running(["a"]);
    const back = { costsMajority: true, goesBackTo: "3.4" };
    assert.deepEqual(await restart(at, await at.observe(), "a", back), { kind: "done" });
  });
});
