import assert from "node:assert/strict";
import type { Stored } from "@etcd-operator/kubernetes-client";
import { aMemberPod } from "@etcd-operator/testing/cluster/a-member-pod.ts";
import { anEtcdCluster } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { RECORDED_CLUSTER, stored } from "@etcd-operator/testing/cluster/cached-world.ts";
import type { PersistentVolumeClaim } from "kubernetes-types/core/v1.d.ts";
import { describe, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ANNOTATIONS } from "../objects/annotations.ts";
import { unlabelledClaims } from "./unlabelled-claims.ts";

const LABELS = { app: "etcd", etcd_cluster: RECORDED_CLUSTER.metadata.name };
const OURS = {
  [ANNOTATIONS.clusterUid]: RECORDED_CLUSTER.metadata.uid ?? "",
  [ANNOTATIONS.clusterId]: "c1",
  [ANNOTATIONS.memberId]: "abc",
};

describe("claims that lost their labels", () => {
  test.each([
    ["no labels", undefined],
    ["the labels of another cluster", { ...LABELS, etcd_cluster: "another" }],
  ])("are seen with %s, while a pod of their member runs on them", async (_, labels) => {
    assert.deepEqual(await found(aClaim({ labels })), { names: ["example-a"], asked: ["example-a"] });
  });

  test.each([
    ["made for another EtcdCluster", { [ANNOTATIONS.clusterUid]: "another" }],
    ["of another member than the pod", { [ANNOTATIONS.memberId]: "def" }],
    ["of another etcd cluster than the pod", { [ANNOTATIONS.clusterId]: "c2" }],
  ])("are not seen when %s", async (_, annotations) => {
    assert.deepEqual((await found(aClaim({ annotations }))).names, []);
  });

  test("are seen while their member has yet to join", async () => {
    const annotations = { [ANNOTATIONS.memberId]: "", [ANNOTATIONS.clusterId]: "" };
    assert.deepEqual((await found(aClaim({ annotations }))).names, ["example-a"]);
  });

  test("are left to the cache where they have their labels, and it lags behind", async () => {
    assert.deepEqual((await found(aClaim({ labels: LABELS }))).names, []);
  });

  test("are not asked for while all claims in use are known, or pods use none", async () => {
    const claim = aClaim({});
    assert.deepEqual(await found(claim, { known: [claim] }), { names: [], asked: [] });
    assert.deepEqual(await found(claim, { cluster: anEtcdCluster() }), { names: [], asked: [] });
  });
});

interface Found {
  readonly known?: readonly Stored<PersistentVolumeClaim>[];
  readonly cluster?: EtcdCluster;
}

async function found(claim: Stored<PersistentVolumeClaim>, { known = [], cluster = RECORDED_CLUSTER }: Found = {}) {
  const asked: string[] = [];
  const start = { kind: "returning", clusterId: "c1", memberId: "abc" } as const;
  const pod = aMemberPod(cluster, { member: "example-a", start });
  const source = {
    claim: async (name: string) => {
      asked.push(name);
      return claim;
    },
  };
  const seen = await unlabelledClaims(stored(RECORDED_CLUSTER), [pod], known, source);
  return { names: seen.map(({ metadata }) => metadata.name), asked };
}

interface ClaimGiven {
  readonly labels?: Record<string, string> | undefined;
  readonly annotations?: Record<string, string>;
}

function aClaim({ labels, annotations = {} }: ClaimGiven): Stored<PersistentVolumeClaim> {
  const identity = { name: "example-a", namespace: "prod", uid: "u", resourceVersion: "1", creationTimestamp: "" };
  const metadata = { ...identity, annotations: { ...OURS, ...annotations }, ...(labels && { labels }) };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
}
