import assert from "node:assert/strict";
import { resources } from "@etcd-operator/kubernetes-client";
import { ApiUnderTest, whyPostponed } from "@etcd-operator/testing/cluster/act-under-test.ts";
import { A_CLAIM } from "@etcd-operator/testing/cluster/an-etcd-cluster.ts";
import { EtcdUnderTest } from "@etcd-operator/testing/cluster/etcd-under-test.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, afterEach, beforeAll, describe, test } from "vitest";
import type { EtcdBackup } from "../../api/etcd-backup.ts";
import { ownResources } from "../../objects/own-resources.ts";
import type { Observation } from "../model/observation.ts";
import { recoveryRestore } from "../objects/recovery-restore.ts";

const { etcdRestores } = ownResources;
const { persistentVolumeClaims, pods } = resources;
const BACKUP = {
  spec: { storageType: "S3", s3: { path: "bucket/etcd" } },
  metadata: { name: "nightly" },
} as EtcdBackup;
const RECORDED = { clusterID: "c1", incarnation: 1 };
const create = ({ cluster }: Observation, ...lost: readonly string[]) =>
  ({ kind: "create-restore", restore: recoveryRestore(cluster, BACKUP), lost }) as const;
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

describe("a restore by policy", () => {
  test("is created when the data of those members is gone; it is deleted with the cluster, and there is one", async () => {
    const at = await api.aCluster({}, RECORDED);
    await at.aPod("b", { memberId: "b1", phase: "Failed" });
    const seen = await at.observe();
    assert.deepEqual(await at.act(seen, create(seen, "a", "b")), { kind: "done" });
    const { metadata, spec } = await at.there(etcdRestores, "example-recovery-1");
    assert.equal(metadata.ownerReferences?.[0]?.uid, seen.cluster.metadata.uid);
    assert.deepEqual(
      [spec.preferNewerSurvivor, spec.s3?.path, spec.revisionBump],
      [true, "bucket/etcd", 1_000_000_000],
    );
    assert.match(whyPostponed(await at.act(seen, create(seen, "a", "b"))), /already exists/);
  });

  test("is not asked for when one of them has a pod that lost its labels", async () => {
    const at = await api.aCluster({}, RECORDED);
    const pod = await at.aPod("a", { memberId: "a1" });
    await api.client.patch(pods, pod.metadata, { merge: { metadata: { labels: null } } });
    const seen = await at.observe();
    assert.deepEqual(seen.pods, []);
    assert.match(whyPostponed(await at.act(seen, create(seen, "a"))), /Pod a exists/);
  });

  test("is not asked for when one of them has a claim after all, unless the volume behind it is gone", async () => {
    const at = await api.aCluster({ pod: { persistentVolumeClaimSpec: A_CLAIM } }, RECORDED);
    const claim = await at.aClaim("a");
    await api.client.patch(persistentVolumeClaims, claim.metadata, { merge: { metadata: { labels: null } } });
    const seen = await at.observe();
    assert.match(whyPostponed(await at.act(seen, create(seen, "a"))), /PVC a exists/);
    await api.client.patchStatus(persistentVolumeClaims, claim.metadata, { merge: { status: { phase: "Lost" } } });
    assert.deepEqual(await at.act(seen, create(seen, "a")), { kind: "done" });
  });

  test("is not asked for when a majority answers again", async () => {
    etcd = await EtcdUnderTest.start("3.5.16", "a");
    const at = await api.aCluster({}, { clusterID: await etcd.clusterId(), incarnation: 1 });
    await at.runs(etcd);
    const seen = await at.observe();
    assert.match(whyPostponed(await at.act(seen, create(seen, "x"))), /a majority responds again/);
    assert.equal(await at.get(etcdRestores, "example-recovery-1"), undefined);
  });

  test("is asked for beside a learner that still names the leader, which is dead", async () => {
    etcd = await EtcdUnderTest.start("3.5.16", "a", "b");
    await etcd.join("d");
    const at = await api.aCluster({}, { clusterID: await etcd.clusterId(), incarnation: 1 });
    await at.runs(etcd);
    const dead = await etcd.leader();
    await etcd.kill(dead);
    const withoutMajority = async () => {
      const seen = await at.observe();
      return seen.membership.kind === "unconfirmed" && seen;
    };
    const seen = await until(withoutMajority, { what: "the survivors to be seen without a majority" });
    const learner = await etcd.clientOf("d").status();
    assert.deepEqual([learner.isLearner, learner.leaderId !== undefined], [true, true]);
    assert.deepEqual(await at.act(seen, create(seen, "x")), { kind: "done" });
  });

  test("is not asked for by a spec that has been changed since", async () => {
    const at = await api.aCluster({}, RECORDED);
    const seen = await at.observe();
    await at.patchSpec({ size: 5 });
    assert.match(whyPostponed(await at.act(seen, create(seen, "a"))), /new spec/);
  });
});
