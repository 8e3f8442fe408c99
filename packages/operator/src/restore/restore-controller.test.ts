import assert from "node:assert/strict";
import { hasCode, resources } from "@etcd-operator/kubernetes-client";
import { ObjectStoreError } from "@etcd-operator/object-store";
import { ClusterStandIn } from "@etcd-operator/testing/restore/cluster-stand-in.ts";
import { RestoreWorld } from "@etcd-operator/testing/restore/restore-world.ts";
import { until } from "@etcd-operator/testing/until.ts";
import { afterAll, beforeAll, beforeEach, describe, test } from "vitest";
import type { EtcdRestore } from "../api/etcd-restore.ts";
import { RESTORE_ANNOTATION, RESTORE_UID_ANNOTATION } from "../api/restore-request.ts";
import { ownResources } from "../objects/own-resources.ts";
import { WORKER_LABELS, WORKER_OWNER_LABEL } from "../transfer/names.ts";

let world: RestoreWorld;
let clusters: ClusterStandIn;
beforeAll(async () => {
  world = await RestoreWorld.start();
});
afterAll(() => world?.stop());
beforeEach(async () => {
  await world.fresh();
  clusters = new ClusterStandIn(world);
});

type Status = NonNullable<EtcdRestore["status"]>;
const isFailed = ({ phase }: Status) => phase === "Failed";
const isSucceeded = ({ phase }: Status) => phase === "Succeeded";
const isOver = (name = "example") =>
  until(async () => !(await world.restore(name)).metadata.finalizers?.length, { what: "the finalizer to go" });

async function isGone(): Promise<void> {
  const ask = () =>
    world.restore().then(
      () => false,
      (error: unknown) => hasCode(error, "not-found"),
    );
  await until(ask, { what: "the EtcdRestore to be gone" });
}

describe("a restore over a cluster that is there", () => {
  test("verifies, saves what answers, asks, brings the snapshot, and succeeds when the members say so", async () => {
    await world.createCluster();
    await using _ = await world.atWork();
    await world.createRestore();
    const request = await clusters.request();
    const backup = world.store.objects.get("etcd");
    const { status, metadata } = await world.restore();
    assert.deepEqual([status?.snapshot?.sizeBytes, request.sizeBytes], [backup?.length, backup?.length]);
    assert.equal(request.sha256, status?.snapshot?.sha256);
    const safety = (status?.safetySnapshot?.path ?? "").slice("backups/".length);
    assert.ok(safety.startsWith(`etcd_safety_${metadata.uid.slice(0, 8)}_2`));
    assert.deepEqual([...world.store.objects.keys()].sort(), ["etcd", safety, `${safety}.metadata.json`]);

    await clusters.restores(request);
    const done = await world.untilStatus("Succeeded", isSucceeded);
    assert.deepEqual([done.succeeded, done.reason, done.progress], [true, undefined, undefined]);
    assert.ok(done.startedAt && done.finishedAt);
    assert.ok(backup && world.pushed[0]?.equals(backup));
    await isOver();
    assert.equal((await world.cluster()).metadata.annotations?.[RESTORE_ANNOTATION], undefined);
    await until(async () => (await world.events()).includes("Normal Restored"), { what: "the last Event" });
    assert.deepEqual(await world.events(), ["Normal Restored", "Normal Restoring", "Normal Saved", "Normal Verified"]);
    assert.match((await world.metrics.page()).text, /etcd_operator_restores_total\{result="succeeded"\} [1-9]/);
  });

  test("restores what was saved instead, where that is preferred and not older", async () => {
    await world.createCluster();
    await using _ = await world.atWork();
    await world.createRestore("example", { preferNewerSurvivor: true });
    const request = await clusters.request();
    const { snapshot, safetySnapshot } = (await world.restore()).status ?? {};
    assert.equal(snapshot?.path, safetySnapshot?.path);
    await clusters.restores(request);
    await world.untilStatus("Succeeded", isSucceeded);
    const saved = world.store.objects.get(snapshot?.path.slice("backups/".length) ?? "");
    assert.ok(saved && world.pushed[0]?.equals(saved));
  });

  test("opens a volume once, because that takes a pod, and closes it when all is sent", async () => {
    await world.createCluster();
    await using _ = await world.atWork();
    const volume = { backupStorageType: "Volume", s3: undefined, volume: { claimName: "backups", path: "etcd" } };
    await world.createRestore("example", volume);
    const used = () => world.store.calls.filter((call) => call === "open" || call === "close");
    const request = await clusters.request();
    assert.deepEqual(used(), ["open"]);
    await clusters.restores(request);
    await until(() => used().includes("close"), { what: "the store to be closed" });
    await world.untilStatus("Succeeded", isSucceeded);
    assert.deepEqual(used(), ["open", "close"]);
  });

  test("closes a volume when it fails", async () => {
    await using _ = await world.atWork();
    const volume = { backupStorageType: "Volume", s3: undefined, volume: { claimName: "backups", path: "etcd" } };
    await world.createCluster();
    world.store.objects.set("etcd", Buffer.from("no snapshot"));
    await world.createRestore("example", volume);
    await world.untilStatus("Failed", isFailed);
    await isOver();
    assert.deepEqual(
      world.store.calls.filter((call) => call === "open" || call === "close"),
      ["open", "close"],
    );
  });

  test("goes on from what is written, though its operator ends and begins again and again", async () => {
    await world.createCluster();
    await world.createRestore();
    const script = clusters.request().then((request) => clusters.restores(request));
    const isThere = until(async () => isSucceeded((await world.restore()).status ?? {}), { what: "success" });
    let starts = 0;
    for (let isDone = false; !isDone; starts += 1) {
      await using _ = await world.atWork();
      const before = (await world.restore()).metadata.resourceVersion;
      // Ended after its first write, or what it had under way; and after a while in any case, because some work takes
      // longer than that.
      const hasWritten = until(async () => (await world.restore()).metadata.resourceVersion !== before, {
        what: "a write",
        timeoutMs: 1_500,
        everyMs: 5,
      });
      await hasWritten.catch(() => undefined);
      isDone = isSucceeded((await world.restore()).status ?? {});
    }
    await Promise.all([script, isThere]);
    assert.ok(starts >= 5, `only ${starts} starts`);
    await using _ = await world.atWork();
    await isOver();
  });
});

test("what a killed process has left for the restore is deleted before its finalizer is removed", async () => {
  const { client, namespace } = world;
  const { metadata } = await world.createRestore("example", { etcdCluster: { name: "nowhere" } });
  const labels = { ...WORKER_LABELS, [WORKER_OWNER_LABEL]: metadata.uid };
  await client.create(resources.pods, {
    metadata: { namespace, name: "left-behind", labels },
    spec: { containers: [{ name: "worker", image: "own" }] },
  });
  await using _ = await world.atWork();
  await world.untilStatus("Failed", isFailed);
  await isOver();
  const { items } = await client.list(resources.pods, { namespace });
  assert.deepEqual(
    items.filter((pod) => !pod.metadata.deletionTimestamp).map((pod) => pod.metadata.name),
    [],
  );
});

describe("a restore into a cluster that is not there", () => {
  const clusterTemplate = { metadata: { labels: { team: "a" } }, spec: { size: 1, version: "3.5.16" } };

  test("makes it from the template, with the request on it from its first moment", async () => {
    await using _ = await world.atWork();
    const restore = await world.createRestore("example", { clusterTemplate });
    const request = await clusters.request();
    const { metadata, spec } = await world.cluster();
    assert.equal(metadata.annotations?.[RESTORE_UID_ANNOTATION], restore.metadata.uid);
    assert.deepEqual([metadata.labels, spec.size], [{ team: "a" }, 1]);
    assert.equal(world.store.objects.size, 1, "there was no member to save");
    await clusters.restores(request);
    await world.untilStatus("Succeeded", isSucceeded);
  });

  test("that fails can be corrected: the next attempt makes the cluster over", async () => {
    await using _ = await world.atWork();
    const restore = await world.createRestore("example", { clusterTemplate });
    const request = await clusters.request();
    await clusters.says(request, "RolledBack");
    const { reason } = await world.untilStatus("Failed", isFailed);
    assert.match(reason ?? "", /cancelled/);
    await isOver();
    const template = { ...clusterTemplate, spec: { ...clusterTemplate.spec, size: 3 } };
    const ref = { namespace: world.namespace, name: "example" };
    await world.client.patch(ownResources.etcdRestores, ref, { merge: { spec: { clusterTemplate: template } } });
    const again = await clusters.request();
    assert.equal(again.uid, `${restore.metadata.uid}-2`);
    assert.equal((await world.cluster()).spec.size, 3);
  });

  test("that is deleted before its first reconcile leaves it paused: an empty one does not pass for the restored", async () => {
    await using _ = await world.atWork();
    const restore = await world.createRestore("example", { clusterTemplate });
    await clusters.request();
    await world.client.delete(ownResources.etcdRestores, restore.metadata);
    await isGone();
    const { metadata, spec } = await world.cluster();
    assert.deepEqual([spec.paused, metadata.annotations?.[RESTORE_ANNOTATION]], [true, undefined]);
  });
});

describe("a restore that is refused", () => {
  test("touches nothing, and says which object is wrong with what, and what to do", async () => {
    const before = await world.createCluster();
    const backup = Buffer.from(world.store.objects.get("etcd") ?? []);
    backup[20_000] = (backup[20_000] ?? 0) ^ 1;
    world.store.objects.set("etcd", backup);
    await using _ = await world.atWork();
    await world.createRestore();
    const { reason, succeeded, conditions } = await world.untilStatus("Failed", isFailed);
    assert.equal(succeeded, false);
    assert.match(reason ?? "", /'backups\/etcd' is damaged: .* Set another backup .* Nothing was changed/);
    assert.equal(conditions?.find(({ type }) => type === "Verified")?.status, "False");
    const { resourceVersion } = (await world.cluster()).metadata;
    assert.equal(resourceVersion, before.metadata.resourceVersion);
    assert.equal(world.store.objects.size, 1);
    await until(async () => (await world.events()).includes("Warning RestoreFailed"), { what: "the Event" });
    assert.match((await world.metrics.page()).text, /etcd_operator_restores_total\{result="failed"\} [1-9]/);
    await isOver();
  });

  test("without a cluster and a template is final until its spec is edited", async () => {
    await using _ = await world.atWork();
    await world.createRestore();
    const { reason } = await world.untilStatus("Failed", isFailed);
    assert.match(reason ?? "", /EtcdCluster 'example' does not exist: create it, or set spec\.clusterTemplate/);
    await world.createCluster();
    await isOver();
    assert.ok(isFailed((await world.restore()).status ?? {}));
    const ref = { namespace: world.namespace, name: "example" };
    await world.client.patch(ownResources.etcdRestores, ref, { merge: { spec: { revisionBump: 5 } } });
    assert.equal((await clusters.request()).revisionBump, 5);
    assert.equal((await world.restore()).status?.reason, undefined);
  });

  test("by a store that does not know us is reported at once", async () => {
    await world.createCluster();
    world.store.beforeCall = () => {
      throw new ObjectStoreError("access-denied", { operation: "stat 'etcd'", message: "correct Secret 'aws'" });
    };
    await using _ = await world.atWork();
    await world.createRestore();
    const { reason } = await world.untilStatus("Failed", isFailed);
    assert.match(reason ?? "", /could not be verified: stat 'etcd': correct Secret 'aws'/);
  });

  test("by a store that is full, when it should save what answers, leaves the cluster alone", async () => {
    const before = await world.createCluster();
    world.store.beforeCall = (call) => {
      if (call.startsWith("put ")) throw new ObjectStoreError("full", { operation: call, message: "no room is left" });
    };
    await using _ = await world.atWork();
    await world.createRestore();
    const { reason } = await world.untilStatus("Failed", isFailed);
    assert.match(
      reason ?? "",
      /No safety snapshot could be taken, so the cluster is not changed: put .*no room is left/,
    );
    assert.equal((await world.cluster()).metadata.resourceVersion, before.metadata.resourceVersion);
  });
});

describe("a restore that does not come to anything", () => {
  test("is rolled back when a container fails repeatedly, and reports its message once the previous cluster is back", async () => {
    await world.createCluster();
    await using _ = await world.atWork();
    await world.createRestore();
    const request = await clusters.request();
    await clusters.says(request, "Restoring");
    await clusters.startsSeed(request);
    await until(() => world.pushed.length > 0, { what: "the snapshot to be sent" });
    const lastState = { terminated: { exitCode: 1, message: "snapshot file integrity check failed" } };
    const failing = { state: { waiting: { reason: "CrashLoopBackOff" } }, lastState, restartCount: 3 };
    await clusters.containers({ receive: { terminated: { exitCode: 0 } }, restore: failing as never });
    await clusters.request(({ isCanceled }) => isCanceled === true);
    const { phase } = await world.untilStatus("the reason", ({ reason }) => reason !== undefined);
    assert.equal(phase, "Restoring", "not over before all is back");
    await clusters.says(request, "RollingBack");
    await clusters.says(request, "RolledBack");
    const { reason } = await world.untilStatus("Failed", isFailed);
    assert.match(
      reason ?? "",
      /'restore' of pod 'example-seed'.*integrity check failed.*edit the spec.*Rolled back to the previous cluster/,
    );
    await isOver();
    assert.equal((await world.cluster()).metadata.annotations?.[RESTORE_ANNOTATION], undefined);
  });

  test("is rolled back before it is removed, when it is deleted on the way", async () => {
    await world.createCluster();
    await using _ = await world.atWork();
    const restore = await world.createRestore();
    const request = await clusters.request();
    await clusters.says(request, "Fencing");
    await world.client.delete(ownResources.etcdRestores, restore.metadata);
    await clusters.request(({ isCanceled }) => isCanceled === true);
    assert.ok((await world.restore()).metadata.deletionTimestamp, "it waits");
    await clusters.says(request, "RolledBack");
    await isGone();
    assert.equal((await world.cluster()).metadata.annotations?.[RESTORE_ANNOTATION], undefined);
  });

  test("is removed at once when it is deleted while the backup is being read, and stops reading", async () => {
    await world.createCluster();
    let isReading = false;
    let hasEnded = false;
    world.store.beforeCall = async (call) => {
      if (!call.startsWith("piece of")) return;
      isReading = true;
      await until(() => hasEnded, { what: "the end of the test" });
    };
    await using _ = await world.atWork();
    const restore = await world.createRestore();
    await until(() => isReading, { what: "the backup to be read" });
    await world.client.delete(ownResources.etcdRestores, restore.metadata);
    hasEnded = true;
    await isGone();
    assert.equal((await world.cluster()).metadata.annotations?.[RESTORE_ANNOTATION], undefined);
  });

  test("fails when its cluster is deleted meanwhile", async () => {
    await world.createCluster();
    await using _ = await world.atWork();
    await world.createRestore();
    const request = await clusters.request();
    await clusters.says(request, "Restoring");
    await world.client.delete(ownResources.etcdClusters, { namespace: world.namespace, name: "example" });
    const { reason } = await world.untilStatus("Failed", isFailed);
    assert.match(reason ?? "", /EtcdCluster 'example' was deleted during the restore/);
  });
});

test.each(["goes", "stays"])(
  "a restore ends when its cluster is deleted while its first pod starts, and that %s",
  async (fate) => {
    await world.createCluster();
    await using _ = await world.atWork();
    await world.createRestore();
    const request = await clusters.request();
    await clusters.says(request, "Restoring");
    await clusters.startsSeed(request, "example-seed", { waiting: { reason: "PodInitializing" } });
    await world.untilStatus("starting", ({ progress }) => progress?.step === "Starting the first member's pod");
    const { client, namespace } = world;
    await client.delete(ownResources.etcdClusters, { namespace, name: "example" });
    if (fate === "goes")
      await client.delete(resources.pods, { namespace, name: "example-seed" }, { gracePeriodSeconds: 0 });
    await world.untilStatus("Failed", isFailed);
    await isOver();
    assert.equal(world.pushed.length, 0);
  },
);

describe("a restore that has to wait", () => {
  test("for a paused cluster reports so, and continues when that does", async () => {
    await world.createCluster({ paused: true });
    await using _ = await world.atWork();
    await world.createRestore();
    const told = ({ conditions }: Status) => conditions?.some(({ reason }) => reason === "Paused") ?? false;
    await world.untilStatus("Paused", told);
    assert.equal((await world.cluster()).metadata.annotations?.[RESTORE_ANNOTATION], undefined);
    const ref = { namespace: world.namespace, name: "example" };
    await world.client.patch(ownResources.etcdClusters, ref, { merge: { spec: { paused: false } } });
    await clusters.request();
  });

  test("for another one of the same cluster says which, and fails when that has succeeded", async () => {
    await world.createCluster();
    await using _ = await world.atWork();
    const first = await world.createRestore("first");
    const request = await clusters.request(({ uid }) => uid === first.metadata.uid);
    await world.createRestore("second");
    const waits = await world.untilStatus(
      "waiting",
      ({ conditions }) => Boolean(conditions?.[0]?.message?.includes("'first'")),
      "second",
    );
    assert.equal(waits.phase, "Verifying");
    // Times have whole seconds.
    const { creationTimestamp } = (await world.restore("second")).metadata;
    await until(() => Date.now() > Date.parse(creationTimestamp) + 1_000, { what: "the second to be over" });
    await clusters.restores(request);
    await world.untilStatus("Succeeded", isSucceeded, "first");
    const { reason } = await world.untilStatus("Failed", isFailed, "second");
    assert.match(reason ?? "", /EtcdRestore 'first' has restored EtcdCluster 'example' since/);
  });
});

test("an operator that does not lead any more writes nothing", async () => {
  await world.createCluster();
  const { metadata } = await world.createRestore();
  await using atWork = await world.atWork({ isLeading: () => false });
  await until(() => atWork.lines.some(({ reason }) => reason === "not-leading"), { what: "a refused write" });
  assert.equal((await world.restore()).metadata.resourceVersion, metadata.resourceVersion);
});
