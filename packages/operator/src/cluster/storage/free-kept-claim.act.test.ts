import assert from "node:assert/strict";
import { KubernetesError, resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, type ClusterUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import { ANNOTATIONS } from "../objects/annotations.ts";

const { persistentVolumeClaims } = resources;
const ADD = { kind: "add-member", name: "new", asLearner: true, version: "3.5.16" } as const;
let api: ApiUnderTest;
let etcd: EtcdUnderTest;

beforeAll(async () => {
  api = await ApiUnderTest.start();
});
afterEach(() => etcd?.stop());
afterAll(() => api?.stop());

/** A member was replaced, its claim is kept, and its successor is declared. */
async function replacing(whenScaled = "Delete"): Promise<ClusterUnderTest> {
  etcd = await EtcdUnderTest.start("3.5.16", "a");
  const spec = { pod: { persistentVolumeClaimSpec: A_CLAIM }, persistentVolumeClaimRetentionPolicy: { whenScaled } };
  const memberIntents = [{ name: "new", incarnation: 1, purpose: "Join" as const }];
  const at = await api.aCluster(spec, { clusterID: await etcd.clusterId(), incarnation: 1, memberIntents });
  await at.runs(etcd);
  await at.aClaim("a", { [ANNOTATIONS.memberId]: await etcd.idOf("a") });
  await at.aClaim("replaced", { [ANNOTATIONS.memberId]: "abc" });
  return at;
}

/** From now on claims are refused, as by a quota that is used up. */
function refuseClaims(at: ClusterUnderTest, message: string): void {
  const { client } = at;
  const create: typeof client.create = async (resource, ...rest) => {
    if (resource.kind !== "PersistentVolumeClaim") return client.create(resource, ...rest);
    throw new KubernetesError("forbidden", { operation: "POST", message, status: 403 });
  };
  const get = (target: typeof client, key: string) => {
    const value: unknown = key === "create" ? create : Reflect.get(target, key);
    return typeof value === "function" ? value.bind(target) : value;
  };
  Object.assign(at, { client: new Proxy(client, { get: (target, key) => get(target, String(key)) }) });
}

const QUOTA = 'persistentvolumeclaims "new" is forbidden: exceeded quota: few, requested: count=1, used: count=2';

async function isThere(at: ClusterUnderTest, name: string): Promise<boolean> {
  const claim = await at.get(persistentVolumeClaims, name);
  return claim !== undefined && claim.metadata.deletionTimestamp === undefined;
}

describe("where a quota has no room for the successor's claim", () => {
  test("the claim of the member that was replaced is deleted, and no other", async () => {
    const at = await replacing();
    const seen = await at.observe();
    refuseClaims(at, QUOTA);
    assert.match(whyPostponed(await at.act(seen, ADD)), /PVC replaced of a replaced member to make room/);
    assert.deepEqual([await isThere(at, "replaced"), await isThere(at, "a")], [false, true]);
  });

  test("it stays when the user keeps claims, and when the refusal is about something else", async () => {
    for (const [whenScaled, message] of [
      ["Retain", QUOTA],
      ["Delete", "admission webhook denied the request"],
    ] as const) {
      const at = await replacing(whenScaled);
      const seen = await at.observe();
      refuseClaims(at, message);
      await assert.rejects(at.act(seen, ADD), { code: "forbidden" });
      assert.equal(await isThere(at, "replaced"), true);
      await etcd.stop();
    }
  });

  test("the quota is named while the first members are made, too: nothing is asked of an etcd that is not there", async () => {
    etcd = await EtcdUnderTest.start("3.5.16", "a");
    const at = await api.aCluster(
      { pod: { persistentVolumeClaimSpec: A_CLAIM } },
      {
        incarnation: 1,
        memberIntents: [{ name: "new", incarnation: 1, purpose: "Seed" }],
      },
    );
    const seen = await at.observe();
    refuseClaims(at, QUOTA);
    const seed = {
      name: "new",
      version: "3.5.16",
      incarnation: 1,
      start: { kind: "seed", token: "t", peers: [] },
    } as const;
    await assert.rejects(at.act(seen, { kind: "start-members", members: [seed] }), { message: /exceeded quota: few/ });
  });
});
