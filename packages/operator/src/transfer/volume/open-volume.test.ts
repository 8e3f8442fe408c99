import type { Stored } from "@etcd-operator/kubernetes-client";
import { resources } from "@etcd-operator/kubernetes-client";
import { bytesOf, storeErrorOf, text } from "@etcd-operator/testing/objectstore/contract/content.ts";
import { aContainer, aVolumeWorld, owner } from "@etcd-operator/testing/transfer/volume-world.ts";
import { until } from "@etcd-operator/testing/until.ts";
import type { PodStatus } from "kubernetes-types/core/v1.d.ts";
import { describe, expect, test } from "vitest";
import type { EtcdCluster } from "../../api/etcd-cluster.ts";
import { ownResources } from "../../objects/own-resources.ts";
import { WORKER_LABELS, WORKER_OWNER_LABEL } from "../names.ts";

describe("opening a volume", () => {
  test("starts a pod and its Secret, and uses the volume once it answers", async () => {
    const world = await aVolumeWorld();
    const opening = world.open();
    const pod = await world.workerMade();
    expect(pod.metadata.name).toMatch(/^nightly-worker-[a-z0-9]{10}$/);
    const { store, key, pathOf } = await world.run(pod, opening);
    await store.put(key, text("kept"));
    expect((await bytesOf(store.get("etcd/backup"))).toString()).toBe("kept");
    expect(pathOf(key)).toBe("etcd/backup");
  });

  test("pulls our image with what the cluster's images are pulled with, and what is ours", async () => {
    const world = await aVolumeWorld();
    const pod = { imagePullSecrets: [{ name: "of-cluster" }] };
    const metadata = { namespace: "prod", name: "example" };
    await world.cluster.create(ownResources.etcdClusters, { metadata, spec: { pod } } as Stored<EtcdCluster>);
    const opening = world.open(undefined, { etcdCluster: { name: "example" } });
    const made = await world.workerMade();
    expect(made.spec?.imagePullSecrets).toEqual([{ name: "of-cluster" }, { name: "ours" }]);
    await world.run(made, opening);
  });

  test("pulls our image as that of a cluster that is not there yet will be", async () => {
    const world = await aVolumeWorld();
    const clusterTemplate = { spec: { pod: { imagePullSecrets: [{ name: "of-template" }] } } } as EtcdCluster;
    const opening = world.open(undefined, { etcdCluster: { name: "example" }, clusterTemplate });
    const made = await world.workerMade();
    expect(made.spec?.imagePullSecrets).toEqual([{ name: "of-template" }, { name: "ours" }]);
    await world.run(made, opening);
  });

  test("and closing it ends the pod", async () => {
    const world = await aVolumeWorld();
    const opening = world.open();
    const { close } = await world.run(await world.workerMade(), opening);
    await close();
    expect(await world.workers()).toEqual([]);
    // Repeating it does no harm.
    await close();
  });

  test("removes the pods that a process which is gone has left for this owner, but not those of others", async () => {
    const world = await aVolumeWorld();
    for (const [name, uid] of [
      ["ended", owner.uid],
      ["never-started", owner.uid],
      ["others", "uid-2"],
    ] as const) {
      const labels = { ...WORKER_LABELS, [WORKER_OWNER_LABEL]: uid };
      await world.cluster.create(resources.pods, { metadata: { namespace: "prod", name, labels } });
    }
    const opening = world.open();
    const made = await world.workerMade();
    await world.run(made, opening);
    const { items } = await world.cluster.list(resources.pods);
    const left = items.filter(({ metadata }) => !metadata.deletionTimestamp).map(({ metadata }) => metadata.name);
    expect(left.toSorted()).toEqual([made.metadata.name, "others"].toSorted());
  });

  test.each([
    ["by its label", { labels: { etcd_node: "backups" } }],
    ["by a note of the operator", { annotations: { "etcd.database.coreos.com/member-id": "a1" } }],
    [
      "by its owner",
      {
        ownerReferences: [{ apiVersion: "etcd.database.coreos.com/v1beta2", kind: "EtcdCluster", name: "c", uid: "u" }],
      },
    ],
  ])("of a claim that is a member's (%s) is refused, whatever the path inside", async (_, marks) => {
    const world = await aVolumeWorld({ claim: marks });
    const error = await storeErrorOf(world.open());
    expect([error.code, error.isTransient]).toEqual(["invalid", false]);
    expect(error.message).toMatch(
      /'prod\/backups' holds the data of etcd member 'backups'.*set volume.claimName to a separate PVC/,
    );
    expect(await world.workers()).toEqual([]);
  });

  test("of a claim without marks that a member runs on is refused, and of one that another pod uses is not", async () => {
    const world = await aVolumeWorld();
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "backups" } }];
    const labels = { app: "etcd", etcd_cluster: "example" };
    const member = { namespace: "prod", name: "example-a", labels };
    await world.cluster.create(resources.pods, { metadata: member, spec: { volumes, containers: [] } } as never);
    expect((await storeErrorOf(world.open())).message).toContain("etcd member 'example-a'");
    const other = { namespace: "prod", name: "browser", labels: { app: "files" } };
    await world.cluster.delete(resources.pods, member, { gracePeriodSeconds: 0 });
    await world.cluster.create(resources.pods, { metadata: other, spec: { volumes, containers: [] } } as never);
    const opening = world.open();
    await world.run(await world.workerMade(), opening);
  });

  test("of a claim that is not there makes no pod", async () => {
    const world = await aVolumeWorld({ hasClaim: false });
    const error = await storeErrorOf(world.open());
    expect([error.code, error.isTransient]).toEqual(["no-such-bucket", false]);
    expect(error.message).toContain("PersistentVolumeClaim 'prod/backups'");
    expect(await world.workers()).toEqual([]);
  });
});

describe("a worker that does not come up", () => {
  test.each<[string, PodStatus, RegExp]>([
    [
      "has no node",
      { conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no room" }] },
      /cannot be scheduled: Unschedulable: no room/,
    ],
    [
      "has no image",
      { containerStatuses: [aContainer({ waiting: { reason: "ImagePullBackOff", message: "no such image" } })] },
      /worker cannot start: ImagePullBackOff: no such image/,
    ],
    ["is not heard of", {}, /has not started.*Events.*after 5 minutes/],
    [
      "runs and says nothing",
      { podIP: "127.0.0.1", containerStatuses: [aContainer({ running: {} })] },
      /does not answer after 5 minutes/,
    ],
  ])("since it %s is given up after a while, which says so", async (_, status, words) => {
    const world = await aVolumeWorld();
    const opening = storeErrorOf(world.open());
    await world.set(await world.workerMade(), status);
    let isOver = false;
    void opening.then(() => {
      isOver = true;
    });
    await until(() => world.clock.advance(10_000).then(() => isOver), { what: "it to be given up", everyMs: 1 });
    expect(await opening).toMatchObject({ code: "unavailable", message: expect.stringMatching(words) });
    expect(await world.workers()).toEqual([]);
  });

  test("since it ended is abandoned at once", async () => {
    const world = await aVolumeWorld();
    const opening = storeErrorOf(world.open());
    const ended = aContainer({ terminated: { exitCode: 1, message: "worker: EACCES" } });
    await world.set(await world.workerMade(), { phase: "Failed", containerStatuses: [ended] });
    await world.clock.advance(2_000);
    expect(await opening).toMatchObject({ code: "unavailable", message: expect.stringContaining("worker: EACCES") });
    expect(await world.workers()).toEqual([]);
  });

  test("since it was deleted fails at once", async () => {
    const world = await aVolumeWorld();
    const opening = storeErrorOf(world.open());
    const { metadata } = await world.workerMade();
    await world.cluster.delete(resources.pods, metadata, { gracePeriodSeconds: 0 });
    await world.clock.advance(2_000);
    expect(await opening).toMatchObject({ code: "unavailable", message: expect.stringContaining("deleted") });
  });

  test("and is not waited for any longer is removed", async () => {
    const world = await aVolumeWorld();
    const abort = new AbortController();
    const opening = storeErrorOf(world.open(abort.signal));
    await world.workerMade();
    abort.abort();
    expect((await opening).code).toBe("aborted");
    expect(await world.workers()).toEqual([]);
  });

  test("and is not waited for any longer says what kept it", async () => {
    const world = await aVolumeWorld();
    const abort = new AbortController();
    const opening = storeErrorOf(world.open(abort.signal));
    const conditions = [{ type: "PodScheduled", status: "False", reason: "Unschedulable", message: "no node" }];
    await world.set(await world.workerMade(), { phase: "Pending", conditions });
    await world.clock.advance(2_000);
    abort.abort();
    expect((await opening).message).toMatch(/cannot be scheduled: Unschedulable: no node/);
    expect(await world.workers()).toEqual([]);
  });

  test("since its Secret could not be made is removed", async () => {
    const world = await aVolumeWorld({ mayMakeSecrets: false });
    expect((await storeErrorOf(world.open())).code).toBe("access-denied");
    expect(await world.workers()).toEqual([]);
  });
});

test("a worker is asked now and then, so that it does not take us for dead", async () => {
  const world = await aVolumeWorld();
  const opening = world.open();
  const { close } = await world.run(await world.workerMade(), opening);
  const before = world.timesAsked();
  await world.clock.advance(61_000);
  await until(() => world.timesAsked() > before, { what: "the worker to be asked" });
  await close();
  expect(world.clock.pendingMs).toEqual([]);
});
